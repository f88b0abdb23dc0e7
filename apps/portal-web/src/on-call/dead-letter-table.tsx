import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ServiceLetter } from '../portal-api';
import { Moment, Table } from '../ui';

interface TableProps {
  service: string;
  letters: readonly ServiceLetter[];
  chosen: ReadonlyMap<string, ServiceLetter>;
  toggle: (letter: ServiceLetter) => void;
}

export const nameOf = ({ transactionId, letterId }: ServiceLetter) =>
  transactionId === null ? `Letter ${letterId}` : `Transaction ${transactionId}`;

export function DeadLetterTable({ service, letters, chosen, toggle }: TableProps): ReactNode {
  return (
    <Table
      label={`Dead letters of ${service}`}
      columns={['Choose', 'Transaction', 'Why', 'Last put aside', 'How often', 'Event']}
    >
      {letters.map(letter => (
        <tr key={letter.letterId}>
          <td>
            <input
              type="checkbox"
              aria-label={`Choose ${nameOf(letter)} of ${letter.group}`}
              checked={chosen.has(`${service} ${letter.letterId}`)}
              onChange={() => toggle(letter)}
            />
          </td>
          <th scope="row">
            <TransactionLink letter={letter} />
          </th>
          <td className="words">
            {letter.reason}
            {letter.defect === null && <span className="dim">, and this release can read the event</span>}
          </td>
          <td>
            <Moment at={letter.parkedAt} />
          </td>
          <td>{letter.times === 1 ? 'once' : `${letter.times} times`}</td>
          <td className="words">
            {letter.eventType ?? 'of no known type'}
            <span className="dim">
              {' '}
              from <code>{letter.topic}</code> for <code>{letter.group}</code>
            </span>
          </td>
        </tr>
      ))}
    </Table>
  );
}

export function TransactionLink({ letter: { transactionId } }: { letter: ServiceLetter }): ReactNode {
  if (transactionId === null) return 'names none';
  return (
    <Link to="/on-call" search={{ transaction: String(transactionId) }}>
      {transactionId}
    </Link>
  );
}
