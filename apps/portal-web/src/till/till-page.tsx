import './till.css';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { PortalError } from '../api';
import { money } from '../format';
import { meQuery } from '../queries';
import { Choice, Failure, Field } from '../ui';
import { wantedAmount } from '../read-amount';
import { keepCode, keptCode, Press, type TillCode, type Wish } from './till-code';
import { TillStage } from './till-stage';
import { asIs, type Said, t, type Text, useTitle } from '../language/language';

/** A merchant takes a payment face to face. */
export function TillPage(): ReactNode {
  const { data: me } = useQuery(meQuery);
  useTitle('Take a payment');
  if (me?.environment !== 'sandbox' || me.person.tenantType !== 'MERCHANT')
    return <Refused why="Merchants take payments here, in the sandbox only. In production your own programs make the codes." />;
  if (!me.person.mayTest) return <Refused why="Your role may look, and not take payments. Ask an owner of your account." />;
  return <Till merchantId={me.person.tenantId} />;
}

function Till({ merchantId }: { merchantId: string }): ReactNode {
  const [code, setCode] = useState(() => keptCode(merchantId));
  const [isShown, setShown] = useState(code !== undefined && isGood(code));
  const show = (next: TillCode) => {
    keepCode(merchantId, next);
    setCode(next);
    setShown(true);
  };
  if (code && isShown) return <TillStage key={code.code} code={code} onNext={() => setShown(false)} />;
  return (
    <>
      <h1>{t('Take a payment')}</h1>
      {code && isGood(code) && (
        <p className="notice">
          {t('The code {code} of {amount} can still be paid.', {
            code: code.code,
            amount: money(code.amount, code.currencyCode),
          })}{' '}
          <button type="button" className="small" onClick={() => setShown(true)}>
            {t('Show it again')}
          </button>
        </p>
      )}
      <TillForm onMade={show} />
    </>
  );
}

const isGood = ({ expiresAtMs }: TillCode) => expiresAtMs === null || Date.now() < expiresAtMs;

function Refused({ why }: { why: Text }): ReactNode {
  return (
    <>
      <h1>{t('Take a payment')}</h1>
      <p className="notice">{t(why)}</p>
    </>
  );
}

const lives = [
  ['5', '5 minutes'],
  ['30', '30 minutes'],
  ['1440', '1 day'],
  ['0', 'For ever'],
] as const satisfies (readonly [string, Text])[];
const currencyKey = 'paycode-till-currency';

function TillForm({ onMade }: { onMade: (code: TillCode) => void }): ReactNode {
  const press = useRef(new Press());
  const [wish, setWish] = useState<Wish>(() => ({
    amount: '',
    currencyCode: localStorage.getItem(currencyKey) ?? 'ZAR',
    reference: '',
    description: '',
    minutes: 5,
    useOnce: true,
    requestTip: false,
  }));
  const make = useMutation({ mutationFn: (of: Wish) => press.current.make(of), onSuccess: onMade });
  const [isPressed, setPressed] = useState(false);
  const read = wantedAmount(wish.amount);
  const set = (part: Partial<Wish>) => {
    make.reset();
    setWish({ ...wish, ...part });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setPressed(true);
    if ('problem' in read) return;
    localStorage.setItem(currencyKey, wish.currencyCode);
    make.mutate({ ...wish, amount: read.amount, reference: wish.reference.trim(), description: wish.description.trim() });
  };
  const fields = make.error instanceof PortalError ? make.error.fields : [];
  const problemOf = (field: string) => fields.find(each => each.field === field)?.message as Said | undefined;
  const ofAmount = problemOf('amount');
  const refused = ofAmount && t('The amount {problem}.', { problem: ofAmount });
  return (
    <form className="card till-form" onSubmit={submit} noValidate>
      <div className="row till-sum">
        <Field
          label="Amount"
          inputMode="decimal"
          autoComplete="off"
          autoFocus
          maxLength={32}
          value={wish.amount}
          hint={'amount' in read && wish.currencyCode.length === 3 ? shown(read.amount, wish.currencyCode) : undefined}
          problem={isPressed && 'problem' in read ? read.problem : refused}
          onChange={amount => set({ amount })}
        />
        <Field
          label="Currency"
          maxLength={3}
          autoCapitalize="characters"
          value={wish.currencyCode}
          problem={problemOf('currencyCode')}
          onChange={next => set({ currencyCode: next.toUpperCase() })}
        />
      </div>
      <Field
        label="Reference"
        hint="Your own number of the sale, used once. Left empty, one is made."
        maxLength={45}
        value={wish.reference}
        problem={problemOf('merchantReference')}
        onChange={reference => set({ reference })}
      />
      <More wish={wish} set={set} problem={problemOf('shortDescription') ?? problemOf('expiryDate')} />
      {make.isError && fields.length === 0 && <Failure error={make.error} />}
      <button type="submit" className="main till-main" disabled={make.isPending}>
        {make.isPending ? t('Making the code…') : t('Show the code')}
      </button>
    </form>
  );
}

function More(props: { wish: Wish; set: (part: Partial<Wish>) => void; problem: Said | undefined }): ReactNode {
  const { wish, set, problem } = props;
  return (
    <>
      <Field
        label="Shown to the customer"
        hint="Such as Table 4."
        maxLength={45}
        value={wish.description}
        problem={problem}
        onChange={description => set({ description })}
      />
      <Choice
        label="Can be paid for"
        options={lives}
        value={String(wish.minutes)}
        onChange={minutes => set({ minutes: Number(minutes) })}
      />
      <label className="till-check">
        <input type="checkbox" checked={!wish.useOnce} onChange={event => set({ useOnce: !event.target.checked })} />{' '}
        {t('Many customers may pay it')}
      </label>
      <label className="till-check">
        <input type="checkbox" checked={wish.requestTip} onChange={event => set({ requestTip: event.target.checked })} />{' '}
        {t('Ask for a tip')}
      </label>
    </>
  );
}

/** As it was understood, before anybody pays it. */
function shown(digits: string, currencyCode: string): Said | undefined {
  try {
    return asIs(money(digits, currencyCode));
  } catch {
    return undefined;
  }
}
