import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import type { ListedMerchants } from '../portal-api';
import { merchantPageQuery, merchantQuery, merchantsQuery } from '../queries';
import './merchant-choice.css';
import { asIs, t, type Words } from '../language/language';

interface ChoiceProps {
  value: number | undefined;
  onChange: (merchantId: number | undefined) => void;
  all?: Words;
}

/** For people of several merchants; a person of one merchant needs no choice. */
export function MerchantChoice(props: ChoiceProps): ReactNode {
  const { data: merchants } = useQuery(merchantsQuery);
  return merchants && merchants.length > 1 && <Combobox {...props} />;
}

interface Option {
  /** undefined: all of them. */
  merchantId: number | undefined;
  name: string;
}

const typingPauseMs = 150;

/** The text that was typed, once the typing pauses: not each letter is a call. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), typingPauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}

/** An editable combobox with a list, after the pattern of ARIA: focus stays in the input, and the active option is named to it. */
function Combobox({ value, onChange, all }: ChoiceProps): ReactNode {
  const id = useId();
  // null: nothing was typed, and the input shows the merchant that is chosen.
  const [typed, setTyped] = useState<string | null>(null);
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const { data: chosen } = useQuery({ ...merchantQuery(value ?? 0), enabled: value !== undefined });
  const search = usePaused(typed?.trim() ?? '');
  const found = useQuery({ ...merchantPageQuery(search), enabled: isOpen, placeholderData: keepPreviousData });
  const options = optionsOf(found.data, search === '' ? all : undefined);
  const close = () => [setOpen(false), setTyped(null), setActive(-1)];
  const choose = ({ merchantId }: Option) => {
    close();
    onChange(merchantId);
  };
  const open = () => setOpen(true);
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const option = isOpen ? options[active] : undefined;
    if (step && !isOpen) open();
    else if (step) setActive(moved(active, step, options.length));
    else if (event.key === 'Enter' && option) choose(option);
    else if (event.key === 'Escape' && isOpen) close();
    else return;
    event.preventDefault();
  };
  return (
    <div className="field inline merchant-choice">
      <label htmlFor={id}>{t('Merchant')}</label>
      <input
        id={id}
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && options[active] ? `${id}-${active}` : undefined}
        autoComplete="off"
        spellCheck={false}
        maxLength={100}
        placeholder={t(all ?? 'Name or id')}
        value={typed ?? (value === undefined ? '' : `${chosen?.merchantName ?? t('Merchant')} ${value}`)}
        onChange={event => {
          setTyped(event.target.value);
          setActive(event.target.value.trim() === '' ? -1 : 0);
          open();
        }}
        onFocus={event => event.target.select()}
        onClick={open}
        onBlur={close}
        onKeyDown={onKeyDown}
      />
      {isOpen && (
        <div className="merchant-popup">
          <ul id={`${id}-list`} role="listbox" aria-label={t('Merchants')}>
            {options.map((option, index) => (
              <Choice
                key={option.merchantId ?? 'all'}
                id={`${id}-${index}`}
                option={option}
                isActive={index === active}
                isChosen={option.merchantId === value}
                onChoose={() => choose(option)}
              />
            ))}
          </ul>
          <p className="dim" role="status">
            {found.isError ? t('The merchants cannot be read now.') : t(hintOf(found.data, options.length))}
          </p>
        </div>
      )}
    </div>
  );
}

function optionsOf(found: ListedMerchants | undefined, all: Words | undefined): Option[] {
  const merchants = (found?.merchants ?? []).map(({ merchantId, merchantName }) => ({ merchantId, name: merchantName }));
  return all === undefined ? merchants : [{ merchantId: undefined, name: t(all) }, ...merchants];
}

function moved(active: number, step: number, length: number): number {
  if (length === 0) return -1;
  return active === -1 && step === -1 ? length - 1 : (active + step + length) % length;
}

function hintOf(found: ListedMerchants | undefined, options: number): Words {
  if (!found) return 'Looking…';
  if (options === 0) return 'No merchant has this id, or a name that begins so.';
  if (found.next === null) return asIs('');
  return found.count === null
    ? 'There are more: type a name or an id.'
    : t('Of {count, plural, other {# merchants}}: type a name or an id.', { count: found.count });
}

function Choice(props: { id: string; option: Option; isActive: boolean; isChosen: boolean; onChoose: () => void }): ReactNode {
  const { id, option, isActive, isChosen, onChoose } = props;
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isActive) item.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  return (
    <li
      ref={item}
      id={id}
      role="option"
      aria-selected={isChosen}
      data-active={isActive || undefined}
      // Focus stays in the input.
      onMouseDown={event => event.preventDefault()}
      onClick={onChoose}
    >
      {option.name} {option.merchantId !== undefined && <span className="dim">{option.merchantId}</span>}
    </li>
  );
}
