import { CreateMerchants1760000000000 } from './1760000000000-create-merchants';
import { TellOwnersOfChanges1809000000000 } from './1809000000000-tell-owners-of-changes';
import { KeepCredentialsOfReceivers1810000000000 } from './1810000000000-keep-credentials-of-receivers';
import { ListMerchantsByName1815000000000 } from './1815000000000-list-merchants-by-name';

/** Tables whose rows only the owner of the schema can change or delete. */
export const insertOnly = ['audit_event'];

/** In order of application. */
export const migrations = [
  CreateMerchants1760000000000,
  TellOwnersOfChanges1809000000000,
  KeepCredentialsOfReceivers1810000000000,
  ListMerchantsByName1815000000000,
];
