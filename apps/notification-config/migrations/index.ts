import { CreateMerchants1760000000000 } from './1760000000000-create-merchants';

/** Nobody but the owner of the schema changes or removes what is in it. */
export const insertOnly = ['audit_event'];

/** In order of application. */
export const migrations = [CreateMerchants1760000000000];
