import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Stuck } from '../portal-api';
import { Moment, Money, Table } from '../ui';
import { rich, t } from '../language/language';

/** The window of 45 seconds, and what comes before and after it on a platform that is well. */
const usualMs = 75_000;

export function OpenDeliveries({ stuck: { open, isMore } }: { stuck: Stuck }): ReactNode {
  return (
    <section className="card" aria-labelledby="open">
      <h2 id="open">{t('Open deliveries, oldest first')}</h2>
      {open === null && (
        <p className="notice bad" role="alert">
          {t('The dispatcher does not answer: nobody can say what is open. Look at its pods and its database first.')}
        </p>
      )}
      {open?.length === 0 && <p>{t('Nothing is open: each notification has been delivered or decided.')}</p>}
      {open !== null && open.length > 0 && <OpenTable open={open} />}
      {isMore && <p className="dim">{t('There are more. They come up when these are done.')}</p>}
    </section>
  );
}

function OpenTable({ open }: { open: NonNullable<Stuck['open']> }): ReactNode {
  return (
    <Table label="Open deliveries" columns={['Transaction', 'Merchant', 'Status', 'Received', 'Stuck']}>
      {open.map(({ transactionId, merchantId, status, receivedAt, kind, pausedUntil }) => (
        <tr key={transactionId}>
          <th scope="row">
            <Link to="/on-call" search={{ transaction: String(transactionId) }}>
              {transactionId}
            </Link>
          </th>
          <td>
            <MerchantLink merchantId={merchantId} />
          </td>
          <td>{status}</td>
          <td>
            <Moment at={receivedAt} />
          </td>
          <td>{pausedUntil ? <PausedUntil at={pausedUntil} /> : stuckWords({ status, kind, receivedAt })}</td>
        </tr>
      ))}
    </Table>
  );
}

function PausedUntil({ at }: { at: string }): ReactNode {
  return rich('Paused until {at}', { at: <Moment at={at} /> });
}

function stuckWords(delivery: Parameters<typeof isStuck>[0]): string {
  return t(isStuck(delivery) ? 'Yes: open for more than 75 s' : 'No: within its time');
}

/** A notice is tried for hours; only a payment is decided within its time. */
function isStuck({ status, kind, receivedAt }: { status: string; kind: string; receivedAt: string }): boolean {
  return kind === 'PURCHASE' && status === 'SUCCESS' && Date.now() - Date.parse(receivedAt) > usualMs;
}

export function FailingReceivers({ stuck: { failing, since } }: { stuck: Stuck }): ReactNode {
  return (
    <section className="card" aria-labelledby="failing">
      <h2 id="failing">{t('Endpoints that fail, by money at risk')}</h2>
      <p className="dim">
        {rich(
          'Since {at}, the largest amount first. Merchants that share a server are one endpoint. Each currency has its own line; amounts are not converted.',
          { at: <Moment at={since} /> },
        )}
      </p>
      {failing.length === 0 ? (
        <p>{t('Every receiver has acknowledged what it was asked in the last hour.')}</p>
      ) : (
        <FailingTable failing={failing} />
      )}
    </section>
  );
}

function FailingTable({ failing }: { failing: Stuck['failing'] }): ReactNode {
  return (
    <Table
      label="Failing endpoints"
      columns={[
        'Endpoint',
        'Merchants',
        { name: 'Undecided', isRight: true },
        { name: 'Reversed', isRight: true },
        'Answers',
        'Last reversed',
      ]}
    >
      {failing.map(receiver => (
        <tr key={`${receiver.merchantIds.join()} ${receiver.currencyCode}`}>
          <th scope="row">
            {receiver.endpoint ?? t('unknown')}
            {receiver.pausedUntil && (
              <div className="dim">
                <PausedUntil at={receiver.pausedUntil} />
              </div>
            )}
          </th>
          <td>
            <MerchantLinks merchantIds={receiver.merchantIds} />
          </td>
          <td className="right">
            <Money amount={receiver.pendingAmount} currencyCode={receiver.currencyCode} />
          </td>
          <td className="right">
            <Money amount={receiver.reversedAmount} currencyCode={receiver.currencyCode} />
          </td>
          <td>
            {t('{failed} failed, {acknowledged} acknowledged', { failed: receiver.failed, acknowledged: receiver.acknowledged })}
          </td>
          <td>{receiver.lastFailedAt === null ? '–' : <Moment at={receiver.lastFailedAt} />}</td>
        </tr>
      ))}
    </Table>
  );
}

export function MerchantLink({ merchantId }: { merchantId: number }): ReactNode {
  return (
    <Link to="/on-call" search={{ merchant: String(merchantId) }}>
      {merchantId}
    </Link>
  );
}

const merchantsShown = 5;

/** Leads to what is set for each, and to the button that pauses its endpoint. */
function MerchantLinks({ merchantIds }: { merchantIds: number[] }): ReactNode {
  return (
    <>
      {merchantIds.slice(0, merchantsShown).map((merchantId, at) => (
        <span key={merchantId}>
          {at > 0 && ', '}
          <MerchantLink merchantId={merchantId} />
        </span>
      ))}
      {merchantIds.length > merchantsShown && ` ${t('and {count} more', { count: merchantIds.length - merchantsShown })}`}
    </>
  );
}

/** The lease of a replica (10 s) and some beats. */
const suspiciousMs = 15_000;

const someOf = (shards: readonly number[]) => `${shards.slice(0, 20).join(', ')}${shards.length > 20 ? ` ${t('and more')}` : ''}`;

/** Replicas that own shards. Deliveries in a shard without an owner wait. */
export function ShardOwners({ stuck: { shards } }: { stuck: Stuck }): ReactNode {
  if (!shards) return null;
  const { count, withoutOwner, replicas } = shards;
  return (
    <section className="card" aria-labelledby="shards">
      <h2 id="shards">{t('Replicas that deliver')}</h2>
      {withoutOwner.length === 0 ? (
        <p>{t('Each of the {count} shards has an owner.', { count })}</p>
      ) : (
        <p className="notice bad" role="status">
          {t(
            '{missing} of {count} shards have no owner, and their deliveries wait: {shards}. A living replica takes them within seconds. If they stay, no replica lives, or none reaches its database.',
            { missing: withoutOwner.length, count, shards: someOf(withoutOwner) },
          )}
        </p>
      )}
      <ul>
        {replicas.map(({ name, shards: owned, stillMs }) => (
          <li key={name}>
            {rich('<code>{name}</code>: {count} shards', { name, count: owned })}
            {stillMs >= suspiciousMs && (
              <strong>
                {t(', no sign of life for {s} s: others take over what it owns', { s: Math.round(stillMs / 1_000) })}
              </strong>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
