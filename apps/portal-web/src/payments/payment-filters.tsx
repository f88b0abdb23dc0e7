import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { answers, Choice, Field, MerchantChoice } from '../ui';
import { MomentField } from './moment-field';
import type { PaymentSearch } from './queries';
import { readAmount } from '../read-amount';
import { type Range, ranges } from './read-moment';
import { timeZone } from '../time-zone';
import { asIs, t, type Text, type Words } from '../language/language';

const outcomes: [string, Text][] = [
  ['SETTLED', 'Settled'],
  ['REVERSED', 'Reversed'],
  ['PENDING', 'Pending'],
  ['REFUNDED', 'Refunded'],
  ['NO_MONEY', 'Failed'],
];

/** As notifications name them. TIMEOUT_… has as many names as payment cores give it: such a status stands in the list when it came with the address. */
const statuses = [
  'SUCCESS', 'CLIENT_CANCEL', 'CLIENT_TIMEOUT', 'BANK_OFFLINE', 'BANK_REJECTED', 'TRANSACTION_REJECTED', 'SYSTEM_ERROR',
  'LIMIT_FAILED', 'HASH_CHECK_FAILED', 'HASH_CHECK_MISSING', 'BANK_PAYMENT_CANCELLATION', 'DO_NOT_TRY_AGAIN', 'TRY_AGAIN_AFTER_X_HRS',
  'CARD_EXPRIY_NOT_ALLOWED', 'INTERNATIONAL_BIN_NOT_ALLOWED', 'BIN_CLASSIFICATION_NOT_ALLOWED', 'FAILED',
].map((status): [string, Words] => [status, asIs(status)]); // prettier-ignore

interface FiltersProps {
  filter: PaymentSearch;
  onChange: (next: PaymentSearch) => void;
}

/** The form that filters payments. */
export function PaymentFilters({ filter, onChange }: FiltersProps): ReactNode {
  const [isOpen, setOpen] = useState(() => matchMedia('(width > 600px)').matches);
  const more = Object.entries(filter).filter(([name, value]) => value !== undefined && !notFolded.includes(name)).length;
  const [from, to] = [filter.from, filter.to];
  const isTurned = from !== undefined && to !== undefined && from >= to;
  return (
    <div className="payment-filters">
      <Search filter={filter} onChange={onChange} />
      <details open={isOpen} onToggle={event => setOpen(event.currentTarget.open)}>
        <summary>
          {t('Filters')}
          {more > 0 && ` (${more})`}
        </summary>
        <div className="filters">
          <Choices filter={filter} onChange={onChange} />
          <OpenChoice
            label="Time"
            options={Object.entries(ranges)}
            value={filter.range}
            onChange={range => onChange({ range: range as Range | undefined, from: undefined, to: undefined })}
          />
          <MomentField label="From" value={from} onChange={next => onChange({ from: next, range: undefined })} />
          <MomentField
            label="Until"
            isEnd
            value={to}
            problem={isTurned ? 'Until must be later than From.' : undefined}
            onChange={next => onChange({ to: next, range: undefined })}
          />
          <MerchantChoice value={filter.merchantId} all="All merchants" onChange={merchantId => onChange({ merchantId })} />
        </div>
        <p className="dim">
          {t('Times are in {zone}. They can be typed: 2026-11-27 14:00, yesterday 14:00, 14:00.', { zone: timeZone() })}
        </p>
      </details>
    </div>
  );
}

const notFolded = ['search', 'amount', 'after', 'before'];

/** One box: what is an amount in the reader's notation is looked for as one; where it may be both, the page says so. */
function Search({ filter, onChange }: FiltersProps): ReactNode {
  const shown = filter.search ?? filter.amount ?? '';
  const [text, setText] = useState(shown);
  const [problem, setProblem] = useState<Words>();
  // The address may change by a link, too: the field then shows what is looked for now.
  useEffect(() => setText(shown), [shown]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = readAmount(text);
    setProblem(read && 'problem' in read ? read.problem : undefined);
    if (read && 'problem' in read) return;
    if (read?.isSure) onChange({ search: undefined, amount: read.amount });
    else onChange({ search: text.trim() || undefined, amount: undefined });
  };
  return (
    <form className="search" role="search" onSubmit={submit}>
      <Field
        label="Transaction, reference, code or amount"
        type="search"
        data-search=""
        aria-keyshortcuts="/ Control+K"
        value={text}
        maxLength={64}
        problem={problem}
        onChange={setText}
      />
      <button type="submit">{t('Search')}</button>
      <Reading filter={filter} onChange={onChange} />
    </form>
  );
}

/** How the text was read, and the other way to read it. */
function Reading({ filter: { search, amount }, onChange }: FiltersProps): ReactNode {
  const other = search === undefined ? undefined : readAmount(search);
  if (amount !== undefined)
    return (
      <p className="dim">
        {t('Payments of exactly {amount}.', { amount })}{' '}
        <button type="button" className="small" onClick={() => onChange({ search: amount, amount: undefined })}>
          {t('Look for a reference, code or transaction {amount} instead', { amount })}
        </button>
      </p>
    );
  if (!other || !('amount' in other)) return null;
  return (
    <p className="dim">
      {t('Shown: payments whose id, reference or code begins with {search}.', { search: search! })}{' '}
      <button type="button" className="small" onClick={() => onChange({ search: undefined, amount: other.amount })}>
        {t('Look for the amount {amount} instead', { amount: other.amount })}
      </button>
    </p>
  );
}

function Choices({ filter, onChange }: FiltersProps): ReactNode {
  return (
    <>
      <OpenChoice label="Outcome" options={outcomes} value={filter.outcome} onChange={outcome => onChange({ outcome })} />
      <OpenChoice label="Status" options={statuses} value={filter.status} onChange={status => onChange({ status })} />
      <OpenChoice
        label="Answer of your server"
        options={answers}
        value={filter.answer}
        onChange={answer => onChange({ answer })}
      />
    </>
  );
}

/** A choice that may stay open. */
function OpenChoice(props: {
  label: Words;
  options: readonly (readonly [value: string, label: Words])[];
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}): ReactNode {
  const { label, options, value = '', onChange } = props;
  // A value that came with the address stays one of the choices.
  const other = value === '' || options.some(([each]) => each === value) ? [] : [[value, asIs(value)] as const];
  const all = [['', t('All')], ...options, ...other] as const;
  return <Choice label={label} options={all} value={value} onChange={next => onChange(next || undefined)} />;
}
