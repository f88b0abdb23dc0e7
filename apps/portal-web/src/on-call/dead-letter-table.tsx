import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ServiceLetter } from '../portal-api';
import { Moment, Table } from '../ui';
import { rich, t } from '../language/language';

interface TableProps {
  service: string;
  letters: readonly ServiceLetter[];
  chosen: ReadonlyMap<string, ServiceLetter>;
  toggle: (letter: ServiceLetter) => void;
}

export const nameOf = ({ transactionId, letterId }: ServiceLetter) =>
  transactionId === null ? t('Letter {letterId}', { letterId }) : t('Transaction {transactionId}', { transactionId });

export function DeadLetterTable({ service, letters, chosen, toggle }: TableProps): ReactNode {
  return (
    <Table
      label={t('Dead letters of {service}', { service })}
      columns={['Choose', 'Transaction', 'Why', 'Last put aside', 'How often', 'Event']}
    >
      {letters.map(letter => (
        <tr key={letter.letterId}>
          <td>
            <input
              type="checkbox"
              aria-label={t('Choose {name} of {group}', { name: nameOf(letter), group: letter.group })}
              checked={chosen.has(`${service} ${letter.letterId}`)}
              onChange={() => toggle(letter)}
            />
          </td>
          <th scope="row">
            <TransactionLink letter={letter} />
          </th>
          <td className="words">
            {letter.reason}
            {letter.defect === null && <span className="dim">{t(', and this release can read the event')}</span>}
          </td>
          <td>
            <Moment at={letter.parkedAt} />
          </td>
          <td>{letter.times === 1 ? t('once') : t('{count} times', { count: letter.times })}</td>
          <td className="words">
            {letter.eventType ?? t('of no known type')}
            <span className="dim">
              {' '}
              {rich('from <code>{topic}</code> for <code>{group}</code>', { topic: letter.topic, group: letter.group })}
            </span>
          </td>
        </tr>
      ))}
    </Table>
  );
}

export function TransactionLink({ letter: { transactionId } }: { letter: ServiceLetter }): ReactNode {
  if (transactionId === null) return t('names none');
  return (
    <Link to="/on-call" search={{ transaction: String(transactionId) }}>
      {transactionId}
    </Link>
  );
}
