import type { ReactNode } from 'react';

/** Shown once, to be taken away. */
export function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone: () => void }): ReactNode {
  return (
    <section aria-labelledby="recovery">
      <h2 id="recovery">Keep these recovery codes</h2>
      <p>Each lets you in once when your phone or passkey is lost. They are not shown again.</p>
      <ul className="codes">
        {codes.map(code => (
          <li key={code}>
            <code>{code.match(/.{4}/g)!.join('-')}</code>
          </li>
        ))}
      </ul>
      <button type="button" className="main" onClick={onDone}>
        I have kept them
      </button>
    </section>
  );
}
