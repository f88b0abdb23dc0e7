import { CreatePortal1790000000000 } from './1790000000000-create-portal';
import { FindPaymentsByAnything1791000000000 } from './1791000000000-find-payments-by-anything';
import { AddPasskeys1792000000000 } from './1792000000000-add-passkeys';
import { AddIdentityProviders1793000000000 } from './1793000000000-add-identity-providers';
import { AddFourEyes1794000000000 } from './1794000000000-add-four-eyes';
import { KeepDeadLetters1797000000000 } from './1797000000000-keep-dead-letters';
import { FourEyesAbout1798000000000 } from './1798000000000-four-eyes-about';
import { ReversalsMayFail1807000000000 } from './1807000000000-reversals-may-fail';
import { AmountsOfFourDecimals1808000000000 } from './1808000000000-amounts-of-four-decimals';
import { PeopleAreLetIn1809000000000 } from './1809000000000-people-are-let-in';
import { PeopleComeAndGo1810000000000 } from './1810000000000-people-come-and-go';
import { PaymentsHoldTheirNotices1811500000000 } from './1811500000000-payments-hold-their-notices';
import { KeepTips1812000000000 } from './1812000000000-keep-tips';
import { OwnersAreRecovered1813000000000 } from './1813000000000-owners-are-recovered';
import { TellPeople1814000000000 } from './1814000000000-tell-people';
import { KnowDevices1817000000000 } from './1817000000000-know-devices';
import { TellOfCertificates1819000000000 } from './1819000000000-tell-of-certificates';
import { TellOfOldKeys1820000000000 } from './1820000000000-tell-of-old-keys';

/** Tables whose rows only the owner of the schema can change or delete. */
export const insertOnly = ['audit_event'];

/** auth-session reads these columns to assert who is signed in, invited or alerted, and who owns an account (T-27): no password, no secret, no payment. */
export const reader = {
  role: 'paycode_auth_session',
  reads: [
    {
      table: 'portal_session',
      columns: ['session_id', 'token_hash', 'person_id', 'stage', 'seen_at', 'expires_at', 'ended_at'],
    },
    { table: 'person', columns: ['person_id', 'email', 'name', 'tenant_type', 'tenant_id', 'role', 'accepted_at'] },
    { table: 'invitation', columns: ['invitation_id', 'token_hash', 'person_id', 'expires_at', 'used_at'] },
    { table: 'alert_mail', columns: ['alert_id', 'token_hash', 'person_id', 'created_at'] },
  ],
};

/** In order of application. */
export const migrations = [
  CreatePortal1790000000000,
  FindPaymentsByAnything1791000000000,
  AddPasskeys1792000000000,
  AddIdentityProviders1793000000000,
  AddFourEyes1794000000000,
  KeepDeadLetters1797000000000,
  FourEyesAbout1798000000000,
  ReversalsMayFail1807000000000,
  AmountsOfFourDecimals1808000000000,
  PeopleAreLetIn1809000000000,
  PeopleComeAndGo1810000000000,
  PaymentsHoldTheirNotices1811500000000,
  KeepTips1812000000000,
  OwnersAreRecovered1813000000000,
  TellPeople1814000000000,
  KnowDevices1817000000000,
  TellOfCertificates1819000000000,
  TellOfOldKeys1820000000000,
];
