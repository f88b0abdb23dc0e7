import { CreateMerchants1760000000000 } from './1760000000000-create-merchants';

/** Tables whose rows only the owner of the schema can change or delete. */
export const insertOnly = ['audit_event'];

/** In order of application. */
export const migrations = [CreateMerchants1760000000000];
