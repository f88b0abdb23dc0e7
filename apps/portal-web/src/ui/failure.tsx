import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { t, type Words } from '../language/language';

/** The message of the error, and a button that tries again. */
export function Failure({ error, again }: { error: unknown; again?: () => void }): ReactNode {
  return (
    <div className="notice bad" role="alert">
      <p>{error instanceof Error ? error.message : t('Something went wrong.')}</p>
      {again && (
        <button type="button" onClick={again}>
          {t('Try again')}
        </button>
      )}
    </div>
  );
}

export function NotHere(): ReactNode {
  return (
    <main className="alone">
      <h1>{t('There is no such page')}</h1>
      <p>
        <Link to="/" search={{ merchantId: undefined }}>
          {t('Go to Home')}
        </Link>
      </p>
    </main>
  );
}

/** Says what is waited for: never a bare spinner. */
export function Waiting({ what }: { what: Words }): ReactNode {
  return (
    <p className="dim" role="status">
      {t(what)}…
    </p>
  );
}
