import { CreateAccounts1700000000000 } from './1700000000000-create-accounts';
import { AddSourceAddresses1760000000000 } from './1760000000000-add-source-addresses';

/** All migrations, oldest first. */
export const migrations = [CreateAccounts1700000000000, AddSourceAddresses1760000000000];
