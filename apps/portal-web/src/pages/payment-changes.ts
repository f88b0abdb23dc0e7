import { useEffect, useState } from 'react';
import { queryClient } from '../queries';

/** Reads the payment again whenever the portal tells that it changed. false: it does not tell (now), and the page has to ask by itself. */
export function usePaymentChanges(transactionId: string, mayChange: boolean): boolean {
  const [isTold, setTold] = useState(false);
  const isVisible = useVisibility();
  const isWanted = mayChange && isVisible;
  useEffect(() => {
    if (!isWanted) return undefined;
    const source = new EventSource(`/console/api/payments/${encodeURIComponent(transactionId)}/changes`);
    source.onopen = () => setTold(true);
    // The browser connects again by itself, unless it was refused.
    source.onerror = () => setTold(false);
    source.addEventListener('change', () => void queryClient.invalidateQueries({ queryKey: ['payment', transactionId] }));
    return () => {
      source.close();
      setTold(false);
    };
  }, [transactionId, isWanted]);
  return isTold;
}

/** A page in the background holds no connection: a browser has six for one host. */
function useVisibility(): boolean {
  const [isVisible, setVisible] = useState(!document.hidden);
  useEffect(() => {
    const update = () => setVisible(!document.hidden);
    document.addEventListener('visibilitychange', update);
    return () => document.removeEventListener('visibilitychange', update);
  }, []);
  return isVisible;
}
