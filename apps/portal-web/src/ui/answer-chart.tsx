import type { ReactNode } from 'react';
import { hour } from '../format';
import type { HomeAnswer } from '../portal-api';
import { Table } from './table';

const [width, height, gap] = [720, 140, 2];

/** Answers by time: settled, reversed and pending of each stretch, one upon the other. The same numbers stand in the table below it. */
export function AnswerChart({ chart }: { chart: HomeAnswer['chart'] }): ReactNode {
  const columns = columnsOf(chart);
  const most = Math.max(1, ...columns.map(({ settled, reversed, pending }) => settled + reversed + pending));
  const each = width / columns.length;
  return (
    <svg className="chart" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      {columns.map(({ at, settled, reversed, pending }, index) => {
        const scale = height / most;
        const parts = [
          { name: 'settled', count: settled, below: 0 },
          { name: 'reversed', count: reversed, below: settled },
          { name: 'pending', count: pending, below: settled + reversed },
        ];
        return parts.map(({ name, count, below }) => (
          <rect
            key={`${at} ${name}`}
            className={name}
            x={index * each + gap / 2}
            width={Math.max(1, each - gap)}
            y={height - (below + count) * scale}
            height={count * scale}
          />
        ));
      })}
    </svg>
  );
}

const timesHeight = 70;

/** How long answers that acknowledged took: the slowest of each stretch, and before it the median. The numbers stand in the table. */
export function TimeChart({ chart }: { chart: HomeAnswer['chart'] }): ReactNode {
  const columns = columnsOf(chart);
  const slowestOfAllMs = Math.max(...chart.buckets.map(bucket => bucket.slowestMs ?? -1));
  if (slowestOfAllMs < 0) return null;
  // An answer within half a millisecond is 0 ms.
  const most = Math.max(1, slowestOfAllMs);
  const each = width / columns.length;
  return (
    <>
      <h3>Time until the answer</h3>
      <svg className="chart times" viewBox={`0 0 ${width} ${timesHeight}`} preserveAspectRatio="none" aria-hidden="true">
        {columns.map(({ at, medianMs, slowestMs }, index) =>
          [
            { name: 'slowest', ms: slowestMs ?? 0 },
            { name: 'median', ms: medianMs ?? 0 },
          ].map(({ name, ms }) => (
            <rect
              key={`${at} ${name}`}
              className={name}
              x={index * each + gap / 2}
              width={Math.max(1, each - gap)}
              y={timesHeight * (1 - ms / most)}
              height={(timesHeight * ms) / most}
            />
          )),
        )}
      </svg>
      <p className="dim">
        In front the median of each stretch, behind it the slowest. The slowest of all took {slowestOfAllMs} ms; after 45 s an
        answer no longer counts.
      </p>
    </>
  );
}

/** Stretches without a payment are columns as well. */
function columnsOf({ since, bucketS, buckets }: HomeAnswer['chart']) {
  const byTime = new Map(buckets.map(bucket => [Date.parse(bucket.at), bucket]));
  const count = bucketS === 3_600 ? 24 : 28;
  return Array.from({ length: count }, (_, index) => {
    const atMs = Date.parse(since) + index * bucketS * 1_000;
    return (
      byTime.get(atMs) ?? {
        at: new Date(atMs).toISOString(),
        settled: 0,
        reversed: 0,
        pending: 0,
        medianMs: null,
        slowestMs: null,
      }
    );
  });
}

/** For whoever reads numbers. */
export function AnswerTable({ buckets }: HomeAnswer['chart']): ReactNode {
  return (
    <Table label="Answers in numbers" columns={['From', 'Settled', 'Reversed', 'Pending', 'Answer, median', 'Slowest']}>
      {buckets.map(({ at, settled, reversed, pending, medianMs, slowestMs }) => (
        <tr key={at}>
          <th scope="row">{hour(at)}</th>
          <td>{settled}</td>
          <td>{reversed}</td>
          <td>{pending}</td>
          <td>{medianMs === null ? '–' : `${medianMs} ms`}</td>
          <td>{slowestMs === null ? '–' : `${slowestMs} ms`}</td>
        </tr>
      ))}
    </Table>
  );
}
