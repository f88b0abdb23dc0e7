import { type ReactNode, useId, useState } from 'react';
import { t } from '../language/language';
import { hideable, type Hideable, hiddenIn, hiddenText } from './hidden-columns';

interface ColumnsMenuProps {
  hidden: string | undefined;
  isOfMany: boolean;
  onChange: (hidden: string | undefined) => void;
}

/** A check box for each column. The browser's own popover: Escape and a click beside it close it, and the focus goes back. */
export function ColumnsMenu({ hidden, isOfMany, onChange }: ColumnsMenuProps): ReactNode {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const gone = hiddenIn(hidden);
  const names = (Object.keys(hideable) as Hideable[]).filter(name => name !== 'merchant' || isOfMany);
  const turn = (name: Hideable, isShown: boolean) =>
    onChange(hiddenText(isShown ? gone.filter(each => each !== name) : [...gone, name]));
  return (
    <>
      <button type="button" popoverTarget={id}>
        {t('Columns')}
      </button>
      <div
        id={id}
        popover="auto"
        className="column-choice"
        role="group"
        aria-label={t('Columns')}
        onBeforeToggle={event => setOpen(event.newState === 'open')}
      >
        {isOpen &&
          names.map(name => (
            <label key={name}>
              <input type="checkbox" checked={!gone.includes(name)} onChange={event => turn(name, event.target.checked)} />
              {t(hideable[name])}
            </label>
          ))}
        <p className="dim">{t('Transaction, amount and outcome always show.')}</p>
      </div>
    </>
  );
}
