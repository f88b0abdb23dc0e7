import { CreateSchema1820000000000 } from './1820000000000-create-schema';
import { LimitOfAnAccount1821000000000 } from './1821000000000-limit-of-an-account';

/** Tables whose rows only the owner of the schema can change or delete. */
export const insertOnly = ['security_event'];

/** In order of application. */
export const migrations = [CreateSchema1820000000000, LimitOfAnAccount1821000000000];
