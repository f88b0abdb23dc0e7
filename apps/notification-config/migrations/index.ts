import { CreateSchema1820000000000 } from './1820000000000-create-schema';
import { MapOfCells1825000000000 } from './1825000000000-map-of-cells';

/** Tables whose rows only the owner of the schema can change or delete. */
export const insertOnly = ['audit_event', 'cell', 'cell_entry'];

/** In order of application. */
export const migrations = [CreateSchema1820000000000, MapOfCells1825000000000];
