import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../api';
import { linkTo } from '../links';
import type { Person, RecordedAction } from '../portal-api';
import { Choice, Failure, Moment, roleName, Table, Waiting } from '../ui';
import { asIs, t, type Text } from '../language/language';

const perPage = 50;
type Role = Person['role'];

/** In words; an action that is missing here shows its name. */
const names: Record<string, Text> = {
  SIGNED_IN: 'Signed in',
  SIGN_IN_FAILED: 'Gave a wrong password',
  SIGNED_OUT: 'Signed out',
  SESSION_ENDED: 'Ended a session',
  PASSWORD_CHANGED: 'Changed the own password',
  PASSWORD_RESET_ASKED: 'Asked for a link to choose a password',
  PASSWORD_RESET: 'Chose another password by a link',
  TOTP_ENROLLED: 'Set up an authenticator app',
  TOTP_REMOVED: 'Removed the authenticator app',
  IDENTITY_PROVIDER_SET: 'Set how the company signs in',
  IDENTITY_PROVIDER_REMOVED: 'Removed how the company signs in',
  IDENTITY_LINKED: 'Linked the sign-in of the company',
  PASSKEY_ADDED: 'Added a passkey',
  PASSKEY_REMOVED: 'Removed a passkey',
  RECOVERY_CODE_USED: 'Used a recovery code',
  CODES_ALLOWED: 'Allowed codes again',
  PERSON_INVITED: 'Invited',
  INVITATION_ACCEPTED: 'Accepted the invitation',
  ROLE_CHANGED: 'Changed the role',
  PERSON_REMOVED: 'Removed',
  OWNER_RECOVERY_ASKED: 'Asked for a new owner',
  OWNER_RECOVERY_CONFIRMED: 'Confirmed a new owner',
  OWNER_RECOVERY_WITHDRAWN: 'Withdrew a new owner',
  OWNER_RECOVERY_REFUSED: 'Refused a new owner',
  URL_SET: 'Set the URL',
  URL_REMOVED: 'Removed the URL',
  URL_CHECKED: 'Checked a URL',
  TEST_SENT: 'Sent a test notification',
  KEY_RENEWED: 'Renewed the key',
  RECIPIENT_ADDED: 'Added a recipient',
  RECIPIENT_REMOVED: 'Removed a recipient',
  API_PASSWORD_RENEWED: 'Made a new API password',
  API_PUBLIC_KEY_SET: 'Set the public key',
  API_CHALLENGE_RULE_CHANGED: 'Changed the rule of the challenge',
  API_SOURCES_CHANGED: 'Changed the allowed addresses',
  API_BEARER_ENABLED: 'Switched to session tokens',
  API_SESSION_ENDED: 'Ended a session of the API',
  FOUR_EYES_ASKED: 'Asked for a second person',
  FOUR_EYES_CONFIRMED: 'Confirmed as the second person',
  FOUR_EYES_WITHDRAWN: 'Withdrew a request to a second person',
  FOUR_EYES_REFUSED: 'Refused as the second person',
  SANDBOX_CODE_MADE: 'Made a code in the sandbox',
  SANDBOX_CODE_PAID: 'Paid a code in the sandbox',
  SANDBOX_PAYMENT_FOLLOWED: 'Refunded or reversed a payment in the sandbox',
  SANDBOX_NOTICE_REPEATED: 'Repeated a notice in the sandbox',
  ON_CALL_SEARCHED: 'Looked up a merchant or a transaction on call',
  DELIVERIES_PAUSED: 'Paused deliveries',
  DELIVERIES_RESUMED: 'Resumed deliveries',
  NOTICE_REDELIVERED: 'Sent a notice again',
  DEAD_LETTER_REDRIVEN: 'Redrove a dead letter',
  PAYMENTS_EXPORTED: 'Exported payments',
  RECORD_EXPORTED: 'Downloaded the record',
  NOTIFICATION_SHOWN: 'Looked at a notification',
  NOTIFICATION_FETCHED: 'Fetched a notification',
};
const nameOf = (action: string) => t(names[action] ?? asIs(action.toLowerCase().replaceAll('_', ' ')));

/** Shows owners the actions of the people of the account. */
export function Actions(): ReactNode {
  const [action, setAction] = useState('');
  const list = useInfiniteQuery({
    queryKey: ['actions', action],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) => call('GET /actions', { query: { before: pageParam, ...(action === '' ? {} : { action }) } }),
    getNextPageParam: last => (last.length < perPage ? undefined : last.at(-1)!.auditEventId),
  });
  const rows = list.data?.pages.flat() ?? [];
  return (
    <section className="card" aria-labelledby="actions">
      <h2 id="actions">{t('Record')}</h2>
      <p>{t('Each action of people of this account, with their address. It keeps people who left.')}</p>
      <Choice label="Show" options={[['', t('Everything')], ...Object.entries(names)]} value={action} onChange={setAction} />
      <p className="row">
        <a className="button" href={linkTo('GET /actions/file', { query: action === '' ? {} : { action } })} download>
          {t('Download CSV')}
        </a>{' '}
        <span className="dim">{t('The latest 10,000 of what is shown.')}</span>
      </p>
      {list.isError && <Failure error={list.error} />}
      {list.isPending && <Waiting what="Reading the record" />}
      {list.data && rows.length === 0 && <p className="notice">{t('Nothing of this kind is on record.')}</p>}
      {rows.length > 0 && (
        <Table label="Recorded actions" columns={['Time', 'Person', 'Action', 'About', 'Address']}>
          {rows.map(row => (
            <tr key={row.auditEventId}>
              <td>
                <Moment at={row.at} />
              </td>
              <td>{row.personName}</td>
              <td>{nameOf(row.action)}</td>
              <td>{aboutOf(row)}</td>
              <td>{row.address}</td>
            </tr>
          ))}
        </Table>
      )}
      {list.hasNextPage && (
        <button type="button" disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {list.isFetchingNextPage ? t('Reading…') : t('Older')}
        </button>
      )}
    </section>
  );
}

function aboutOf({ merchantId, detail }: RecordedAction): string {
  const { name, from, to, role, format } = detail as Record<string, string | undefined>;
  const who =
    name && to
      ? t('{name}: {from} to {to}', { name, from: roleName(from as Role), to: roleName(to as Role) })
      : name && role
        ? `${name}, ${roleName(role as Role)}`
        : name;
  return (
    [who, format, merchantId && t('merchant {merchantId}', { merchantId: String(merchantId) })].filter(Boolean).join(', ') || '–'
  );
}
