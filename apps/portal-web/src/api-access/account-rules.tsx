import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../api';
import type { PortalAccount } from '../portal-api';
import { credentialsQuery } from './queries';
import { queryClient } from '../queries';
import { Field, Form } from '../ui';
import { ConfirmByPassword, OwnPassword } from '../security/own-password';
import { rich, t } from '../language/language';

interface AccessProps {
  access: PortalAccount;
  mayChange: boolean;
}

const sourcesMax = 32;

const keep = (next: PortalAccount) => queryClient.setQueryData(credentialsQuery.queryKey, next);

/** Rules that make a stolen password useless: the proof of the key at login, and the addresses from which the account may be used. */
export function AccountRules({ access, mayChange }: AccessProps): ReactNode {
  return (
    <>
      <ChallengeRule access={access} mayChange={mayChange} />
      <Sources key={access.sourceAddresses.join()} access={access} mayChange={mayChange} />
    </>
  );
}

function ChallengeRule({ access: { challengeRequired, publicKeySha256 }, mayChange }: AccessProps): ReactNode {
  const [isAsked, setAsked] = useState(false);
  const action = t(challengeRequired ? 'No longer require it' : 'Require the challenge');
  return (
    <section className="card" aria-labelledby="rule">
      <h2 id="rule">{t('Challenge at login')}</h2>
      <p>
        {challengeRequired
          ? t('Required: a login with the password alone is refused.')
          : t(
              'Not required: the password alone logs in. Once your programs answer the challenge, require it; a stolen password is then not enough.',
            )}
      </p>
      {mayChange && !publicKeySha256 && <p className="dim">{t('It needs a registered public key.')}</p>}
      {mayChange && (
        <button type="button" disabled={!publicKeySha256} onClick={() => setAsked(true)}>
          {action}
        </button>
      )}
      {isAsked && (
        <ConfirmByPassword
          title={t(challengeRequired ? 'No longer require it?' : 'Require the challenge?')}
          action={action}
          onConfirm={current =>
            call('POST /credentials/challenge', { body: { challengeRequired: !challengeRequired, current } }).then(keep)
          }
          onClose={() => setAsked(false)}
        >
          <p>
            {challengeRequired
              ? t('From now on the password alone logs in.')
              : t('Logins without an answer to the challenge fail from now on. Try your key first.')}
          </p>
        </ConfirmByPassword>
      )}
    </section>
  );
}

function Sources({ access: { sourceAddresses }, mayChange }: AccessProps): ReactNode {
  const [text, setText] = useState(sourceAddresses.join('\n'));
  const [current, setCurrent] = useState('');
  const change = useMutation({
    mutationFn: () => {
      const sourceAddresses = text.split(/[\s,]+/).filter(Boolean);
      return call('POST /credentials/source-addresses', { body: { sourceAddresses, current } });
    },
    onSuccess: keep,
    onSettled: () => setCurrent(''),
  });
  return (
    <section className="card" aria-labelledby="sources">
      <h2 id="sources">{t('Allowed addresses')}</h2>
      <p>
        {sourceAddresses.length === 0
          ? t('The account may be used from everywhere.')
          : t('The account may be used from these only: {addresses}.', { addresses: sourceAddresses.join(', ') })}
      </p>
      {mayChange && (
        <Form step={change} action="Save addresses" busy="Saving…">
          <Field
            label="Addresses and ranges, one a line"
            hint={
              <>
                {rich(
                  'Such as <code>198.51.100.0/24</code> or <code>2001:db8::1</code>, at most {most}; none permits every address. It takes effect at once: programs elsewhere are refused.',
                  { most: sourcesMax },
                )}
              </>
            }
            rows={3}
            value={text}
            onChange={setText}
          />
          <OwnPassword value={current} onChange={setCurrent} />
        </Form>
      )}
    </section>
  );
}
