import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../api';
import type { Colleague, Person, ShownPerson } from '../portal-api';
import { queryClient } from '../queries';
import { Choice, Failure, Field, Form, roleName, Waiting } from '../ui';
import { ConfirmByPassword, OwnPassword } from '../security/own-password';
import { t, type Text } from '../language/language';

const peopleQuery = queryOptions({ queryKey: ['people'], queryFn: () => call('GET /people') });

type Role = Person['role'];

const tenantRoles = [
  ['VIEWER', 'Viewer: sees payments'],
  ['DEVELOPER', 'Developer: sets up notifications'],
  ['OWNER', 'Owner: also invites people'],
] as const satisfies Roles;
const operatorRoles = [
  ['ON_CALL', 'On-call: sees everything'],
  ['ADMINISTRATOR', 'Administrator: also changes and invites'],
] as const satisfies Roles;

/** The other people of the account, and the form that invites one. */
export function Colleagues({ me: { person, environment } }: { me: ShownPerson }): ReactNode {
  const { data, isError, error } = useQuery(peopleQuery);
  const roles = person.tenantType === 'OPERATOR' ? operatorRoles : tenantRoles;
  return (
    <section className="card" aria-labelledby="people">
      <h2 id="people">{t('People of this account')}</h2>
      {isError && <Failure error={error} />}
      {!data && !isError && <Waiting what="Reading who is in" />}
      <ul className="lines">
        {data?.map(colleague => (
          <li key={colleague.personId}>
            <span>
              {colleague.name} <span className="dim">{colleague.email}</span>
            </span>
            <span className="tag">{roleName(colleague.role)}</span>
            {!colleague.isIn && <span className="tag pending">{t('invited')}</span>}
            {colleague.areCodesRefused && person.mayInvite && <AllowCodes personId={colleague.personId} name={colleague.name} />}
            {person.mayInvite && <Manage colleague={colleague} roles={roles} isMe={colleague.personId === person.personId} />}
          </li>
        ))}
      </ul>
      {person.mayInvite && <Invite roles={roles} isProduction={environment === 'production'} />}
    </section>
  );
}

type Roles = readonly (readonly [Role, Text])[];

/** Another role, another link, or the end of a colleague's access. */
function Manage({ colleague, roles, isMe }: { colleague: Colleague; roles: Roles; isMe: boolean }): ReactNode {
  const { personId, name, role, isIn } = colleague;
  const [question, setQuestion] = useState<'role' | 'remove' | null>(null);
  const [next, setNext] = useState(role);
  const path = { personId };
  const reread = () => queryClient.invalidateQueries(isMe ? {} : peopleQuery);
  const again = useMutation({ mutationFn: () => call('POST /people/{personId}/invite', { path }), onSuccess: reread });
  const setRole = (current: string) => call('POST /people/{personId}/role', { path, body: { role: next, current } }).then(reread);
  const remove = (current: string) => call('POST /people/{personId}/remove', { path, body: { current } }).then(reread);
  return (
    <span className="row">
      {!isIn && (
        <button type="button" className="small" disabled={again.isPending || again.isSuccess} onClick={() => again.mutate()}>
          {again.isSuccess ? t('Sent again') : t('Send again')}
        </button>
      )}
      <button
        type="button"
        className="small"
        onClick={() => setQuestion('role')}
        aria-label={t('Change role of {name}', { name })}
      >
        {t('Change role')}
      </button>
      <button
        type="button"
        className="small"
        onClick={() => setQuestion('remove')}
        aria-label={t(isIn ? 'Remove {name}' : 'Withdraw the invitation of {name}', { name })}
      >
        {isIn ? t('Remove') : t('Withdraw')}
      </button>
      {again.isError && <Failure error={again.error} />}
      {question === 'role' && (
        <ConfirmByPassword
          title={t('Change the role of {name}?', { name })}
          action="Change role"
          onConfirm={setRole}
          onClose={() => setQuestion(null)}
        >
          <Choice label="Role" options={roles} value={next} onChange={setNext} />
          <p>{t('The new role counts at once. Somebody who becomes an owner can confirm requests after a day.')}</p>
        </ConfirmByPassword>
      )}
      {question === 'remove' && (
        <ConfirmByPassword
          title={t(isIn ? 'Remove {name}?' : 'Withdraw the invitation of {name}?', { name })}
          action={isIn ? 'Remove' : 'Withdraw'}
          onConfirm={remove}
          onClose={() => setQuestion(null)}
        >
          {isIn ? (
            <p>
              {isMe
                ? t(
                    'You are signed out everywhere at once, and can sign in no more. If you knew the password of your API account, make a new one under API.',
                  )
                : t(
                    '{name} is signed out everywhere at once, and can sign in no more. If {name} knew the password of your API account, make a new one under API.',
                    { name },
                  )}
            </p>
          ) : (
            <p>{t('The link in the mail lets nobody in any more.')}</p>
          )}
        </ConfirmByPassword>
      )}
    </span>
  );
}

/** For a colleague whose app gave, or somebody guessed, too many wrong codes today. */
function AllowCodes({ personId, name }: { personId: string; name: string }): ReactNode {
  const [current, setCurrent] = useState('');
  const allow = useMutation({
    mutationFn: () => call('POST /people/{personId}/allow-codes', { path: { personId }, body: { current } }),
    onSuccess: () => queryClient.invalidateQueries(peopleQuery),
    onSettled: () => setCurrent(''),
  });
  return (
    <details>
      <summary>{t('Codes are refused until tomorrow')}</summary>
      <Form step={allow} action="Allow codes again" busy="Allowing…">
        <p className="dim">
          {t(
            'Ten wrong codes of the authenticator app were given for {name} within a day. Ask {name} whether it was a mistake. If not, somebody else knows the password: have it changed first.',
            { name },
          )}
        </p>
        <OwnPassword value={current} onChange={setCurrent} />
      </Form>
    </details>
  );
}

function Invite({ roles, isProduction }: { roles: Roles; isProduction: boolean }): ReactNode {
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [role, setRole] = useState(roles[0]![0]);
  const [current, setCurrent] = useState('');
  const takesPassword = isProduction && role !== 'VIEWER' && role !== 'DEVELOPER';
  const invite = useMutation({
    mutationFn: () => {
      const proof = takesPassword ? { current } : {};
      return call('POST /invitations', { body: { email: email.trim(), name: name.trim(), role, ...proof } });
    },
    onSuccess: () => {
      setEmail('');
      setName('');
      return queryClient.invalidateQueries(peopleQuery);
    },
    onSettled: () => setCurrent(''),
  });
  return (
    <Form step={invite} action="Invite" busy="Inviting…" isMain>
      <h3>{t('Invite somebody')}</h3>
      <Field label="Name" required maxLength={100} autoComplete="off" value={name} onChange={setName} />
      <Field label="E-mail address" type="email" required autoComplete="off" value={email} onChange={setEmail} />
      <Choice label="Role" options={roles} value={role} onChange={setRole} />
      {takesPassword && <OwnPassword value={current} onChange={setCurrent} />}
      {invite.data && (
        <p className="notice good" role="status">
          {t('{email} gets a link by e-mail, good for three days.', { email: invite.data.email })}
        </p>
      )}
    </Form>
  );
}
