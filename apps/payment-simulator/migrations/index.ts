import { CreateCodesAndTransactions1760000000000 } from './1760000000000-create-codes-and-transactions';

/** In order of application. */
export const migrations = [CreateCodesAndTransactions1760000000000];
