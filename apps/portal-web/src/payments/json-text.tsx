import { type ReactNode, useState } from 'react';
import { Code, CopyButton } from '../ui';
import { indentedJson } from './indented-json';
import { t, type Words } from '../language/language';

/** A body in lines and colours, or as it was sent. The copy is always as it was sent. */
export function JsonText({ label, text }: { label: Words; text: string }): ReactNode {
  const [isAsSent, setAsSent] = useState(false);
  return (
    <>
      <div className="row code-head">
        <h4>{t(label)}</h4>
        <span className="spacer" />
        <button type="button" className="small" aria-pressed={isAsSent} onClick={() => setAsSent(!isAsSent)}>
          {t('As sent')}
        </button>
        <CopyButton value={text} />
      </div>
      <Code label={label}>
        {isAsSent
          ? text
          : indentedJson(text).map((piece, index) => (
              <span key={index} className={piece.kind}>
                {piece.text}
              </span>
            ))}
      </Code>
    </>
  );
}
