import { type ReactNode, useId } from 'react';
import { Icon } from './icon';

export type Look = 'settled' | 'reversed' | 'pending' | 'no_money';

const signs: Record<Look, string> = { settled: 'good', reversed: 'alert', pending: 'pending', no_money: 'pending' };

/** The answer to what brought a person here, before any detail. `actions`: buttons and links. */
export function Callout(props: { look: Look; title: string; actions?: ReactNode; children?: ReactNode }): ReactNode {
  const id = useId();
  return (
    <section className={`card callout result ${props.look}`} aria-live="polite" aria-labelledby={id}>
      <Icon name={signs[props.look]} />
      <div>
        <h2 id={id}>{props.title}</h2>
        {props.children}
      </div>
      {props.actions && <div className="row">{props.actions}</div>}
    </section>
  );
}
