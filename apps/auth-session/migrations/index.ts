import { CreateAccounts1700000000000 } from './1700000000000-create-accounts';
import { AddSourceAddresses1760000000000 } from './1760000000000-add-source-addresses';
import { CountBeforeAnswering1785000000000 } from './1785000000000-count-before-answering';
import { RememberTheReplacedToken1785000001000 } from './1785000001000-remember-the-replaced-token';
import { OneDecoyPerIdentity1785000002000 } from './1785000002000-one-decoy-per-identity';
import { NobodyRewritesTheSecurityLog1785000003000 } from './1785000003000-nobody-rewrites-the-security-log';
import { BearerIsForGood1795500000000 } from './1795500000000-bearer-is-for-good';

/** Tables whose rows only the owner of the schema can change or delete. */
export const insertOnly = ['security_event'];

/** All migrations, oldest first. */
export const migrations = [
  CreateAccounts1700000000000,
  AddSourceAddresses1760000000000,
  CountBeforeAnswering1785000000000,
  RememberTheReplacedToken1785000001000,
  OneDecoyPerIdentity1785000002000,
  NobodyRewritesTheSecurityLog1785000003000,
  BearerIsForGood1795500000000,
];
