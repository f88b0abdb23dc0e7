import { useEffect, useState, useSyncExternalStore } from 'react';
import { linkTo } from '../links';
import { queryClient } from '../queries';

/** After a refusal: there may be too many streams now, or a replica stops. */
const againAfterMs = 3_000;

/**
 * Reads the payment again whenever the portal tells that it changed. `setLive(false)`: it does not tell (now), and the page has to ask by
 * itself.
 */
export function usePaymentChanges(transactionId: string, mayChange: boolean, setLive: (isLive: boolean) => void): void {
  const isVisible = useVisibility();
  const isWanted = mayChange && isVisible;
  const [refusals, setRefusals] = useState(0);
  useEffect(() => {
    if (!isWanted) return undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    const source = new EventSource(linkTo('GET /payments/{transactionId}/changes', { path: { transactionId } }));
    source.onopen = () => setLive(true);
    source.onerror = () => {
      setLive(false);
      // The browser connects again by itself, unless it was refused.
      if (source.readyState === EventSource.CLOSED) again = setTimeout(() => setRefusals(count => count + 1), againAfterMs);
    };
    source.addEventListener('change', () => void queryClient.invalidateQueries({ queryKey: ['payment', transactionId] }));
    return () => {
      clearTimeout(again);
      source.close();
      setLive(false);
    };
  }, [transactionId, isWanted, refusals]);
}

/** A page in the background holds no connection: a browser has six for one host. */
function useVisibility(): boolean {
  return useSyncExternalStore(onVisibilityChange, () => !document.hidden);
}

function onVisibilityChange(changed: () => void): () => void {
  document.addEventListener('visibilitychange', changed);
  return () => document.removeEventListener('visibilitychange', changed);
}
