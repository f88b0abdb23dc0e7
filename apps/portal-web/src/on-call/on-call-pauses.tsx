import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { call } from '../api';
import type { EndpointPause, MerchantSummary, Stuck } from '../portal-api';
import { queryClient } from '../queries';
import { Confirm, Failure, Field, Moment } from '../ui';
import { MerchantLink } from './on-call-stuck';
import { rich, t, type Text } from '../language/language';

const again = () => Promise.all(['stuck', 'on-call-merchant'].map(key => queryClient.invalidateQueries({ queryKey: [key] })));

/** Pauses in effect, of all endpoints. */
export function Pauses({ stuck: { pauses } }: { stuck: Stuck }): ReactNode {
  if (!pauses || pauses.length === 0) return null;
  return (
    <section className="card" aria-labelledby="pauses">
      <h2 id="pauses">{t('Paused endpoints')}</h2>
      {pauses.map(pause => (
        <PauseNotice key={pause.pauseId} pause={pause} />
      ))}
    </section>
  );
}

/** Deliveries to the endpoint of one merchant: paused, or to be paused. */
export function MerchantDeliveries({ found: { merchant, receiver, pause } }: { found: MerchantSummary }): ReactNode {
  return (
    <section className="card" aria-labelledby="deliveries">
      <h3 id="deliveries">{t('Deliveries')}</h3>
      {pause && <PauseNotice pause={pause} />}
      {!pause && receiver?.host && <PauseForm merchantId={merchant.merchantId} host={receiver.host} />}
      {!pause && receiver && !receiver.host && <p>{t('No URL is set: nothing is delivered that could be paused.')}</p>}
    </section>
  );
}

function PauseNotice({
  pause: { pauseId, endpoint, merchantId, reason, pausedBy, endsAt },
}: {
  pause: EndpointPause;
}): ReactNode {
  const resume = useMutation({
    mutationFn: () => call('POST /on-call/pauses/{pauseId}/end', { path: { pauseId } }),
    onSettled: again,
  });
  return (
    <div className="notice">
      <p>
        {rich(
          'Deliveries to <strong>{endpoint}</strong> are paused until {at}, by {pausedBy}: {reason}. Merchant {merchant} named it; others may share it.',
          { endpoint, at: <Moment at={endsAt} />, pausedBy, reason, merchant: <MerchantLink merchantId={merchantId} /> },
        )}
      </p>
      <button type="button" disabled={resume.isPending} onClick={() => resume.mutate()}>
        {t('Resume deliveries to {endpoint}', { endpoint })}
      </button>
      {resume.isError && <Failure error={resume.error} />}
    </div>
  );
}

const minutesOffered = [2, 5, 10];

function PauseForm({ merchantId, host }: { merchantId: number; host: string }): ReactNode {
  const [reason, setReason] = useState('');
  const [minutes, setMinutes] = useState(5);
  const [problem, setProblem] = useState<Text>();
  const [isAsking, setAsking] = useState(false);
  const pause = useMutation({
    mutationFn: () =>
      call('POST /on-call/merchants/{merchantId}/pause', { path: { merchantId }, body: { minutes, reason: reason.trim() } }),
    onSettled: again,
  });
  const ask = (event: FormEvent) => {
    event.preventDefault();
    const isReason = reason.trim().length >= 3;
    setProblem(isReason ? undefined : 'Say why, in three characters at least.');
    setAsking(isReason);
  };
  return (
    <>
      <form onSubmit={ask} noValidate>
        <Field
          label="Reason of a pause"
          maxLength={200}
          autoComplete="off"
          hint="For the record. The merchant does not see it."
          problem={problem}
          value={reason}
          onChange={setReason}
        />
        <div className="row">
          <Minutes value={minutes} onChange={setMinutes} />
          <button type="submit" disabled={pause.isPending}>
            {t('Pause deliveries')}
          </button>
        </div>
      </form>
      {isAsking && (
        <Confirm
          title={t('Pause deliveries to {host}?', { host })}
          action={t('Pause for {minutes} minutes', { minutes })}
          onConfirm={() => pause.mutateAsync()}
          onClose={() => setAsking(false)}
        >
          <PauseConsequences />
        </Confirm>
      )}
    </>
  );
}

function Minutes({ value, onChange }: { value: number; onChange: (minutes: number) => void }): ReactNode {
  return (
    <select aria-label={t('Length of the pause')} value={value} onChange={event => onChange(Number(event.target.value))}>
      {minutesOffered.map(minutes => (
        <option key={minutes} value={minutes}>
          {t('{minutes} minutes', { minutes })}
        </option>
      ))}
    </select>
  );
}

function PauseConsequences(): ReactNode {
  return (
    <ul>
      <li>
        {t(
          'Within a second, no new notification leaves for this server, whichever merchant it is for. Notifications under way continue.',
        )}
      </li>
      <li>
        {t(
          'Waiting notifications are not armed, so the pause reverses nothing. A payment that has waited 15 minutes in all is given back.',
        )}
      </li>
      <li>{t('It ends by itself, or when somebody resumes. For 15 minutes after that the server cannot be paused again.')}</li>
      <li>
        {t('Its merchants see on Home that people on call paused deliveries. Pause and reason are on record with your name.')}
      </li>
    </ul>
  );
}
