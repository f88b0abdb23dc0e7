import { CreateAccounts1700000000000 } from './1700000000000-create-accounts';

/** All migrations, oldest first. */
export const migrations = [CreateAccounts1700000000000];
