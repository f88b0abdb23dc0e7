import './statements.css';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call } from '../api';
import { linkTo } from '../links';
import type { FileFormat } from '../payments/queries';
import { money } from '../format';
import type { StatementLine, StatementSums } from '../portal-api';
import { meQuery, merchantQuery, merchantsQuery } from '../queries';
import { separatorsOf } from '../read-amount';
import { civilOf, timeZone as timeZoneOfPerson, timeZones } from '../time-zone';
import { Failure, MerchantChoice, Table, Waiting } from '../ui';
import { currentLocale, t, type Text, useTitle } from '../language/language';
import { StatementMails } from './statement-mails';

interface Wanted {
  period: string;
  timeZone: string;
  merchantId?: number | undefined;
}

const statementQuery = (query: Wanted) =>
  queryOptions({
    queryKey: ['statements', query],
    placeholderData: keepPreviousData,
    queryFn: () => call('GET /statements', { query }),
  });

/** Sums of days and months for an accountant. The address holds what is shown. */
export function StatementsPage(): ReactNode {
  const { period = monthsBack(0), timeZone = timeZoneOfPerson(), merchantId } = useSearch({ from: '/signed-in/statements' });
  const navigate = useNavigate({ from: '/statements' });
  const go = (next: Partial<Wanted>) => void navigate({ search: before => ({ ...before, ...next }) as never });
  const { data: me } = useQuery(meQuery);
  const isOperator = me?.person.tenantType === 'OPERATOR';
  const wanted = { period, timeZone, merchantId };
  useTitle('Statements');
  return (
    <>
      <h1>{t('Statements')}</h1>
      <form className="filters statement-filters">
        <MerchantChoice value={merchantId} all="All merchants" onChange={chosen => go({ merchantId: chosen })} />
        <Choice label="Period" value={period} onChange={chosen => go({ period: chosen })}>
          {/* A day, as an e-mail has it. */}
          {![...months(), ...years()].includes(period) && <option value={period}>{nameOf(period)}</option>}
          <optgroup label={t('Days of a month')}>
            {months().map(month => (
              <option key={month} value={month}>
                {nameOf(month)}
              </option>
            ))}
          </optgroup>
          <optgroup label={t('Months of a year')}>
            {years().map(year => (
              <option key={year}>{year}</option>
            ))}
          </optgroup>
        </Choice>
        <Choice label="Time zone of the days" value={timeZone} onChange={chosen => go({ timeZone: chosen })}>
          {[...new Set([timeZone, ...timeZones()])].map(zone => (
            <option key={zone}>{zone}</option>
          ))}
        </Choice>
      </form>
      {isOperator && merchantId === undefined ? <p className="notice">{t('Choose a merchant.')}</p> : <Sheet wanted={wanted} />}
      {me && !isOperator && <StatementMails timeZone={timeZone} email={me.person.email} />}
    </>
  );
}

function Sheet({ wanted }: { wanted: Wanted }): ReactNode {
  const { data, isError, error, refetch } = useQuery(statementQuery(wanted));
  const { data: merchants } = useQuery(merchantsQuery);
  const { data: chosen } = useQuery({ ...merchantQuery(wanted.merchantId ?? 0), enabled: wanted.merchantId !== undefined });
  if (isError) return <Failure error={error} again={() => void refetch()} />;
  if (!data) return <Waiting what="Adding up" />;
  const isOne = wanted.merchantId !== undefined || merchants?.length === 1;
  const decimalMark = separatorsOf().decimal === ',' ? 'COMMA' : 'POINT';
  const linkOf = (format: FileFormat) => linkTo('GET /statements/file', { query: { ...wanted, decimalMark, format } });
  return (
    <>
      <div className="row statement-actions">
        <a className="button" href={linkOf('CSV')} download>
          {t('Download CSV')}
        </a>
        <a className="button" href={linkOf('XLSX')} download>
          {t('Download Excel (XLSX)')}
        </a>
        <button type="button" onClick={() => print()}>
          {t('Print')}
        </button>
      </div>
      <article className="statement" aria-label={t('Statement')}>
        <h2>
          {isOne ? (chosen ?? merchants?.[0])?.merchantName : t('All merchants')}, {nameOf(wanted.period)}
        </h2>
        <p className="dim">
          {t('Days of {timeZone}. A payment counts on the day it was made, a refund on its own. Settled contains the tips.', {
            timeZone: wanted.timeZone,
          })}
        </p>
        {data.totals.length === 0 && <p className="notice">{t('Nothing was paid or refunded in this time.')}</p>}
        {data.totals.map(total => (
          <Currency
            key={total.currencyCode}
            total={total}
            isOne={isOne}
            lines={data.lines.filter(({ currencyCode }) => currencyCode === total.currencyCode)}
          />
        ))}
      </article>
    </>
  );
}

const columns = ['paid', 'settled', 'reversed', 'waiting', 'refunded'] as const;
const names = {
  paid: 'Paid',
  settled: 'Settled',
  reversed: 'Reversed',
  waiting: 'Waiting',
  refunded: 'Refunded',
} as const satisfies Record<string, Text>;

function Currency(props: { total: StatementSums; lines: StatementLine[]; isOne: boolean }): ReactNode {
  const { total, lines, isOne } = props;
  const { currencyCode, settled, reversed } = total;
  return (
    <section className="card" aria-label={currencyCode}>
      <h3>
        {t('{settled} settled, {reversed} reversed', {
          settled: money(settled.amount, currencyCode),
          reversed: money(reversed.amount, currencyCode),
        })}
      </h3>
      <Table
        label={t('Statement in {currencyCode}', { currencyCode })}
        columns={[
          isOne ? 'Day' : 'Merchant',
          ...columns.map(name => ({ name: names[name], isRight: true as const })),
          { name: 'Tips', isRight: true },
        ]}
      >
        {lines.map(line => (
          <tr key={`${line.day} ${line.merchantId}`}>
            <th scope="row">{isOne ? line.day : `${line.merchantName} ${line.merchantId}`}</th>
            <Sums sums={line} />
          </tr>
        ))}
        <tr className="statement-total">
          <th scope="row">{t('Total')}</th>
          <Sums sums={total} />
        </tr>
      </Table>
    </section>
  );
}

function Sums({ sums }: { sums: StatementSums }): ReactNode {
  return (
    <>
      {columns.map(name => (
        <td key={name} className="right">
          <span>
            {money(sums[name].amount, sums.currencyCode)} <span className="dim">{sums[name].count}×</span>
          </span>
        </td>
      ))}
      <td className="right">{money(sums.tips, sums.currencyCode)}</td>
    </>
  );
}

function Choice(props: { label: Text; value: string; onChange: (value: string) => void; children: ReactNode }): ReactNode {
  const { label, value, onChange, children } = props;
  return (
    <label className="field inline">
      {t(label)}
      <select value={value} onChange={event => onChange(event.target.value)}>
        {children}
      </select>
    </label>
  );
}

const monthsBack = (count: number) => {
  const { year, month } = civilOf(new Date());
  return new Date(Date.UTC(year, month - 1 - count)).toISOString().slice(0, 7);
};
const months = () => Array.from({ length: 24 }, (_, at) => monthsBack(at));
const years = () => Array.from({ length: 5 }, (_, at) => String(civilOf(new Date()).year - at));

/** A year, a month or a day in words. */
function nameOf(period: string): string {
  const [, month, day] = period.split('-');
  const parts = { year: 'numeric', ...(month && { month: 'long' as const }), ...(day && { day: 'numeric' as const }) } as const;
  return new Intl.DateTimeFormat(currentLocale(), { ...parts, timeZone: 'UTC' }).format(new Date(period));
}
