import { type ReactNode, useEffect, useRef, useState } from 'react';
import { when } from '../format';
import { Field } from '../ui';
import { readMoment } from './read-moment';
import { asIs, t, type Words } from '../language/language';

interface MomentFieldProps {
  label: Words;
  /** ISO 8601 UTC. */
  value: string | undefined;
  isEnd?: boolean;
  problem?: Words | undefined;
  onChange: (value: string | undefined) => void;
}

/** A time that is typed, pasted or picked. A typed text counts on Enter, or when one leaves the field; one that cannot be read stays in it. */
export function MomentField({ label, value, isEnd = false, problem, onChange }: MomentFieldProps): ReactNode {
  const [text, setText] = useState(value ? when(value) : '');
  const [wrong, setWrong] = useState<Words>();
  const isEdited = useRef(false);
  const picker = useRef<HTMLInputElement>(null);
  const show = (next: string | undefined) => {
    isEdited.current = false;
    setWrong(undefined);
    setText(next ? when(next) : '');
  };
  useEffect(() => show(value), [value]);
  const commit = (given: string) => {
    if (given.trim() === '') return onChange(undefined);
    const read = readMoment(given, { isEnd });
    if ('problem' in read) return setWrong(asIs(`${t(label)}: ${read.problem}`));
    show(read.at);
    return onChange(read.at);
  };
  return (
    <div className="moment">
      <Field
        label={label}
        value={text}
        autoComplete="off"
        maxLength={40}
        problem={wrong ?? problem}
        onChange={next => {
          isEdited.current = true;
          setText(next);
        }}
        onBlur={() => isEdited.current && commit(text)}
        onKeyDown={event => event.key === 'Enter' && isEdited.current && commit(text)}
      />
      <button type="button" aria-label={t('Pick {label}', { label: t(label) })} onClick={() => picker.current?.showPicker()}>
        <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" fill="none" stroke="currentColor">
          <path d="M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 1.5v3M10.5 1.5v3" />
        </svg>
      </button>
      <input ref={picker} type="datetime-local" tabIndex={-1} aria-hidden="true" onChange={event => commit(event.target.value)} />
    </div>
  );
}
