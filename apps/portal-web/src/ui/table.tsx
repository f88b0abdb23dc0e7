import type { CSSProperties, ReactNode } from 'react';
import { t, type Words } from '../language/language';

export type Column = Words | { name: Words; isRight: true };

/** A table that scrolls in itself, also by the keyboard. On a phone each row is a card. `children`: its rows, of at most 8 cells. */
export function Table({
  label,
  columns,
  children,
}: {
  label: Words;
  columns: readonly Column[];
  children: ReactNode;
}): ReactNode {
  const names = columns.map(column => t(typeof column === 'string' ? column : column.name));
  // The style sheet writes them before the cells of a card.
  const style = Object.fromEntries(names.map((name, index) => [`--column-${index + 1}`, JSON.stringify(name)])) as CSSProperties;
  return (
    <div className="scroll" role="region" aria-label={t(label)} tabIndex={0}>
      <table style={style}>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <th key={names[index]} scope="col" className={typeof column === 'string' ? undefined : 'right'}>
                {names[index]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
