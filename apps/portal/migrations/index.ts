import { CreateSchema1820000000000 } from './1820000000000-create-schema';
import { KeepLanguage1822000000000 } from './1822000000000-keep-language';
import { TellOfOldKeys1821000000000 } from './1821000000000-tell-of-old-keys';
import { KeepViewsOfPayments1823000000000 } from './1823000000000-keep-views-of-payments';
import { MailStatements1824000000000 } from './1824000000000-mail-statements';

/** Tables whose rows only the owner of the schema can change or delete. */
export const insertOnly = ['audit_event'];

/** auth-session reads these columns to assert who is signed in, invited or alerted, in which language, and who owns an account (T-27): no password, no secret, no payment. */
export const reader = {
  role: 'paycode_auth_session',
  reads: [
    {
      table: 'portal_session',
      columns: ['session_id', 'token_hash', 'person_id', 'stage', 'seen_at', 'expires_at', 'ended_at'],
    },
    {
      table: 'person',
      columns: ['person_id', 'email', 'name', 'tenant_type', 'tenant_id', 'role', 'accepted_at', 'language', 'time_zone'],
    },
    { table: 'invitation', columns: ['invitation_id', 'token_hash', 'person_id', 'expires_at', 'used_at'] },
    { table: 'alert_mail', columns: ['alert_id', 'token_hash', 'person_id', 'created_at'] },
  ],
};

/** In order of application. */
export const migrations = [
  CreateSchema1820000000000,
  TellOfOldKeys1821000000000,
  KeepLanguage1822000000000,
  KeepViewsOfPayments1823000000000,
  MailStatements1824000000000,
];
