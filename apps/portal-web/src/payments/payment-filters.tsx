import { type FormEvent, type ReactNode, useEffect, useId, useState } from 'react';
import type { PaymentSearch } from './queries';
import { answers, Field, MerchantChoice } from '../ui';

const outcomes: [string, string][] = [
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
].map((status): [string, string] => [status, status]); // prettier-ignore

interface FiltersProps {
  filter: PaymentSearch;
  onChange: (next: PaymentSearch) => void;
}

/** The form that filters payments. */
export function PaymentFilters({ filter, onChange }: FiltersProps): ReactNode {
  const [search, setSearch] = useState(filter.search ?? '');
  const [amount, setAmount] = useState(filter.amount ?? '');
  // The address may change by a link, too: the fields then show what is looked for now.
  useEffect(() => setSearch(filter.search ?? ''), [filter.search]);
  useEffect(() => setAmount(filter.amount ?? ''), [filter.amount]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // People write decimals with a comma, too.
    onChange({ search: search.trim() || undefined, amount: amount.trim().replace(',', '.') || undefined });
  };
  return (
    <form className="filters" role="search" onSubmit={submit}>
      <Field
        label="Transaction id, reference or code"
        type="search"
        value={search}
        maxLength={64}
        onChange={event => setSearch(event.target.value)}
      />
      <Field
        label="Amount"
        inputMode="decimal"
        size={10}
        maxLength={19}
        value={amount}
        onChange={event => setAmount(event.target.value)}
      />
      <button type="submit">Search</button>
      <Choices filter={filter} onChange={onChange} />
      <Field
        label="From"
        type="date"
        value={dayOf(filter.from)}
        onChange={event => onChange({ from: instantOf(event.target.value, 0) })}
      />
      <Field
        label="Until"
        type="date"
        value={dayOf(filter.to, -1)}
        onChange={event => onChange({ to: instantOf(event.target.value, 1) })}
      />
      <MerchantChoice value={filter.merchantId} all="All merchants" onChange={merchantId => onChange({ merchantId })} />
    </form>
  );
}

function Choices({ filter, onChange }: FiltersProps): ReactNode {
  return (
    <>
      <Choice label="Outcome" options={outcomes} value={filter.outcome} onChange={outcome => onChange({ outcome })} />
      <Choice label="Status" options={statuses} value={filter.status} onChange={status => onChange({ status })} />
      <Choice label="Answer of your server" options={answers} value={filter.answer} onChange={answer => onChange({ answer })} />
    </>
  );
}

function Choice(props: {
  label: string;
  options: readonly (readonly [value: string, label: string])[];
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}): ReactNode {
  const id = useId();
  // A value that came with the address stays one of the choices.
  const isKnown = !props.value || props.options.some(([value]) => value === props.value);
  const options = isKnown ? props.options : [...props.options, [props.value!, props.value!] as const];
  return (
    <div className="field">
      <label htmlFor={id}>{props.label}</label>
      <select id={id} value={props.value ?? ''} onChange={event => props.onChange(event.target.value || undefined)}>
        <option value="">All</option>
        {options.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </div>
  );
}

/** The reader's day an instant lies in, for the browser's date field. */
function dayOf(iso: string | undefined, days = 0): string {
  if (!iso) return '';
  const date = new Date(iso);
  date.setDate(date.getDate() + days);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function instantOf(day: string, days: number): string | undefined {
  if (!day) return undefined;
  const [year, month, date] = day.split('-').map(Number);
  return new Date(year!, month! - 1, date! + days).toISOString();
}
