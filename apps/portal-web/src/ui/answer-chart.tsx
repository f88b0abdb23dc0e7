import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { elapsed, hour } from '../format';
import type { HomeAnswer } from '../portal-api';
import { Table } from './table';
import { t } from '../language/language';

const [width, gap] = [720, 2];
const parts = ['settled', 'reversed', 'pending'] as const;
const countNames = { settled: '{count} settled', reversed: '{count} reversed', pending: '{count} pending' } as const;
type Column = ReturnType<typeof columnsOf>[number];

/** Payments by time, settled, reversed and pending one upon the other. A bar leads to its payments; the same numbers stand in the table below it. */
export function AnswerChart({ chart, merchantId }: { chart: HomeAnswer['chart']; merchantId: number | undefined }): ReactNode {
  const columns = columnsOf(chart);
  const top = topOf(Math.max(...columns.map(countOf)));
  return (
    <div className="bars">
      <div className="scale" aria-hidden="true">
        {[top, top / 2, 0].map(count => (
          <span key={count}>{count}</span>
        ))}
      </div>
      {columns.map(column => (
        <Bar key={column.at} column={column} chart={chart} top={top} merchantId={merchantId} />
      ))}
    </div>
  );
}

const countOf = ({ settled, reversed, pending }: Column) => settled + reversed + pending;

/** The end of the axis: a round number with a whole half. */
function topOf(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return [2, 4, 10, 20].map(step => step * power).find(end => end >= most)!;
}

function Bar(props: { column: Column; chart: HomeAnswer['chart']; top: number; merchantId: number | undefined }): ReactNode {
  const { column, chart, top, merchantId } = props;
  const from = column.at;
  if (countOf(column) === 0) return <span className="bar" data-hour={hour(from)} />;
  const to = new Date(Date.parse(from) + chart.bucketS * 1_000).toISOString();
  const words = parts.filter(name => column[name] > 0).map(name => t(countNames[name], { count: column[name] }));
  return (
    <Link className="bar" data-hour={hour(from)} to="/payments" search={{ merchantId, from, to } as never}>
      {parts.map(name => (
        <span key={name} className={name} style={{ height: `${(100 * column[name]) / top}%` }} />
      ))}
      <span className="tip">
        <strong>{t('{from} to {to}', { from: hour(from), to: hour(to) })}</strong> {words.join(', ')}
      </span>
    </Link>
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
      <h3>{t('Time until the answer')}</h3>
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
      <p className="legend">
        <span className="dot median">{t('Median')}</span> <span className="dot slowest">{t('Slowest')}</span>
        <span>{t('Slowest: {time}, limit 45 s', { time: elapsed(slowestOfAllMs) })}</span>
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
          <td>{medianMs === null ? '–' : elapsed(medianMs)}</td>
          <td>{slowestMs === null ? '–' : elapsed(slowestMs)}</td>
        </tr>
      ))}
    </Table>
  );
}
