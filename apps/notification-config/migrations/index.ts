import { CreateSchema1820000000000 } from './1820000000000-create-schema';

/** Tables whose rows only the owner of the schema can change or delete. */
export const insertOnly = ['audit_event'];

/** In order of application. */
export const migrations = [CreateSchema1820000000000];
