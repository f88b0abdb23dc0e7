import { CreateMerchants1760000000000 } from './1760000000000-create-merchants';

/** In order of application. */
export const migrations = [CreateMerchants1760000000000];
