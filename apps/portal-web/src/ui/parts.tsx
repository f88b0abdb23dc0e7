import { useMutation } from '@tanstack/react-query';
import {
  type ChangeEvent,
  type FormEvent,
  type InputHTMLAttributes,
  type ReactElement,
  type ReactNode,
  type RefObject,
  type TextareaHTMLAttributes,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { money, utc, when } from '../format';
import type { Payment, Person } from '../portal-api';
import { Failure } from './failure';
import { Icon } from './icon';
import { t, type Text, type Words } from '../language/language';

/** A time in the reader's zone; in UTC when one points at it. */
export function Moment({ at }: { at: string }): ReactNode {
  return (
    <time dateTime={at} title={utc(at)}>
      {when(at)}
    </time>
  );
}

export function Money({ amount, currencyCode }: { amount: string; currencyCode: string }): ReactNode {
  return <span className="money">{money(amount, currencyCode)}</span>;
}

export type Outcome = Payment['outcome'];

const outcomeNames: Record<Outcome, Text> = {
  PENDING: 'Pending',
  SETTLED: 'Settled',
  REVERSED: 'Reversed',
  NO_MONEY: 'Notice',
};

export const outcomeName = (outcome: Outcome) => t(outcomeNames[outcome]);

type Answer = NonNullable<Payment['answer']>;

const answerNames: Record<Answer, Text> = {
  HTTP_200: 'HTTP 200',
  READ: 'Read by getNotification',
  NON_200: 'Other than HTTP 200',
  CONNECTION: 'Not reached',
  TIMEOUT: 'None within 45 seconds',
  NEVER_SENT: 'Not asked in time',
  BACKSTOP: 'None known at the deadline',
};

export const answers = Object.entries(answerNames) as [Answer, Text][];
export const answerName = (answer: Answer) => t(answerNames[answer]);

type Role = Person['role'];

const roleNames: Record<Role, Text> = {
  VIEWER: 'viewer',
  DEVELOPER: 'developer',
  OWNER: 'owner',
  ON_CALL: 'on-call',
  ADMINISTRATOR: 'administrator',
};
export const roleName = (role: Role) => t(roleNames[role]);

export function OutcomeTag({ outcome, kind }: { outcome: Outcome; kind?: Payment['kind'] }): ReactNode {
  const isFailure = outcome === 'NO_MONEY' && kind === 'PURCHASE';
  return <span className={`tag ${outcome.toLowerCase()}`}>{isFailure ? t('Failed') : outcomeName(outcome)}</span>;
}

type Attributes = InputHTMLAttributes<HTMLInputElement> & TextareaHTMLAttributes<HTMLTextAreaElement>;

interface FieldProps extends Omit<Attributes, 'onChange'> {
  label: Words;
  hint?: Words | ReactElement | undefined;
  problem?: Words | undefined;
  onChange: (next: string, input: HTMLInputElement) => void;
}

/** An input with its label, a hint, and what is wrong with it; with `rows`, of several lines. */
export function Field({ label, hint, problem, onChange, ...rest }: FieldProps): ReactNode {
  const id = useId();
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ') || undefined;
  const given = {
    id,
    'aria-describedby': described,
    'aria-invalid': problem ? true : undefined,
    onChange: (event: ChangeEvent<HTMLInputElement & HTMLTextAreaElement>) => onChange(event.target.value, event.target),
    ...rest,
  };
  return (
    <div className="field">
      <label htmlFor={id}>{t(label)}</label>
      {rest.rows === undefined ? <input {...given} /> : <textarea {...given} />}
      {hint && (
        <span id={`${id}-hint`} className="dim">
          {typeof hint === 'string' ? t(hint) : hint}
        </span>
      )}
      {problem && (
        <span id={`${id}-problem`} className="problem" role="alert">
          {t(problem)}
        </span>
      )}
    </div>
  );
}

type Option<Value extends string> = readonly [value: Value, label: Words];

/** One of several, with its label. */
export function Choice<Value extends string>(props: {
  label: Words;
  options: readonly Option<Value>[];
  value: Value;
  onChange: (next: Value) => void;
  isInline?: boolean;
}): ReactNode {
  const id = useId();
  return (
    <div className={props.isInline ? 'field inline' : 'field'}>
      <label htmlFor={id}>{t(props.label)}</label>
      <select id={id} value={props.value} onChange={event => props.onChange(event.target.value as Value)}>
        {props.options.map(([value, label]) => (
          <option key={value} value={value}>
            {t(label)}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Fields, and the button that sends them; the failure stands above it. `after`: stands below the button. */
export function Form(props: {
  step: { mutate: () => void; isPending: boolean; isError: boolean; error: unknown };
  action: Words;
  busy?: Words;
  isMain?: boolean;
  after?: ReactNode;
  children: ReactNode;
}): ReactNode {
  const { step, action, busy = 'One moment…', isMain = false } = props;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    step.mutate();
  };
  return (
    <form onSubmit={submit}>
      {props.children}
      {step.isError && <Failure error={step.error} />}
      <button type="submit" className={isMain ? 'main' : undefined} disabled={step.isPending}>
        {t(step.isPending ? busy : action)}
      </button>
      {props.after}
    </form>
  );
}

/** Opens the dialog as long as it is on the page. Closed before it goes, it gives the focus back to the button that opened it. */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const { current } = dialog;
    current!.showModal();
    return () => current!.close();
  }, []);
  return dialog;
}

/**
 * Asks before something that cannot be undone. The browser's own dialog: focus stays in it, Escape closes it. It stays open until the answer is
 * there, and shows why there is none; `onConfirm` rejects with that. `isSafe`: it can be undone.
 */
export function Confirm(props: {
  title: Words;
  action: Words;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
  isSafe?: boolean;
  children: ReactNode;
}): ReactNode {
  const dialog = useModal();
  const titleId = useId();
  const step = useMutation({ mutationFn: props.onConfirm, onSuccess: props.onClose });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    step.mutate();
  };
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      onClose={props.onClose}
      onCancel={event => step.isPending && event.preventDefault()}
    >
      <form onSubmit={submit}>
        <h2 id={titleId}>{t(props.title)}</h2>
        {props.children}
        {step.isError && <Failure error={step.error} />}
        <div className="row">
          <button type="button" disabled={step.isPending} onClick={props.onClose}>
            {t('Cancel')}
          </button>
          <button type="submit" className={props.isSafe ? 'main' : 'danger'} disabled={step.isPending}>
            {step.isPending ? t('One moment…') : t(props.action)}
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** Names and values beside each other; with a title, below each other. */
export function Facts({
  facts,
  title,
}: {
  facts: readonly (readonly [name: Words, value: ReactNode])[];
  title?: Words;
}): ReactNode {
  const list = (
    <dl className={title === undefined ? 'facts card' : 'facts rows'}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{t(name)}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
  if (title === undefined) return list;
  return (
    <section className="card" aria-label={t(title)}>
      <h2>{t(title)}</h2>
      {list}
    </section>
  );
}

export type Look = 'settled' | 'reversed' | 'pending' | 'no_money';

const signs: Record<Look, string> = { settled: 'good', reversed: 'alert', pending: 'pending', no_money: 'pending' };

/** The answer to what brought a person here, before any detail. `actions`: buttons and links. */
export function Callout(props: { look: Look; title: Words; actions?: ReactNode; children?: ReactNode }): ReactNode {
  const id = useId();
  return (
    <section className={`card callout result ${props.look}`} aria-live="polite" aria-labelledby={id}>
      <Icon name={signs[props.look]} />
      <div>
        <h2 id={id}>{t(props.title)}</h2>
        {props.children}
      </div>
      {props.actions && <div className="row">{props.actions}</div>}
    </section>
  );
}

/** A text that is shown once, to be taken away. */
export function Secret({ label, value }: { label: Words; value: string }): ReactNode {
  return (
    <div className="secret">
      <span className="dim">{t(label)}</span>
      <code data-secret>{value}</code>
      <CopyButton value={value} />
    </div>
  );
}

export function CopyButton({ value, name = 'Copy' }: { value: string; name?: Words }): ReactNode {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
  };
  return (
    <button type="button" className="small" onClick={() => void copy()}>
      {isCopied ? t('Copied') : t(name)}
    </button>
  );
}

/** Text for programs. The keyboard scrolls it, so it has a name. */
export function Code({ label, children }: { label: Words; children: ReactNode }): ReactNode {
  return (
    <pre tabIndex={0} role="group" aria-label={t(label)}>
      {children}
    </pre>
  );
}
