import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { call } from '../api';
import type { Person, ShownPerson } from '../portal-api';
import { peopleQuery, queryClient } from '../queries';
import { Failure, Field, Waiting } from '../ui';
import { OwnPassword } from './own-password';

type Role = Person['role'];

const tenantRoles = [
  ['VIEWER', 'Viewer: sees payments'],
  ['DEVELOPER', 'Developer: sets up notifications'],
  ['OWNER', 'Owner: also invites people'],
] as const;
const operatorRoles = [
  ['ON_CALL', 'On-call: sees everything'],
  ['ADMINISTRATOR', 'Administrator: also changes and invites'],
] as const;

/** The other people of the account, and the form that invites one. */
export function Colleagues({ me: { person, environment } }: { me: ShownPerson }): ReactNode {
  const { data, isError, error } = useQuery(peopleQuery);
  return (
    <section className="card" aria-labelledby="people">
      <h2 id="people">People of this account</h2>
      {isError && <Failure error={error} />}
      {!data && !isError && <Waiting what="Reading who is in" />}
      <ul className="lines">
        {data?.map(({ personId, name, email, role, hasPassword, areCodesRefused }) => (
          <li key={personId}>
            <span>
              {name} <span className="dim">{email}</span>
            </span>
            <span className="tag">{role.toLowerCase().replace('_', '-')}</span>
            {!hasPassword && <span className="tag pending">invited</span>}
            {areCodesRefused && person.mayInvite && <AllowCodes personId={personId} name={name} />}
          </li>
        ))}
      </ul>
      {person.mayInvite && (
        <Invite
          roles={person.tenantType === 'OPERATOR' ? operatorRoles : tenantRoles}
          isProduction={environment === 'production'}
        />
      )}
    </section>
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
  const submit = (event: FormEvent) => {
    event.preventDefault();
    allow.mutate();
  };
  return (
    <details>
      <summary>Codes are refused until tomorrow</summary>
      <form onSubmit={submit}>
        <p className="dim">
          Ten wrong codes of the authenticator app were given for {name} within a day. Ask {name} whether it was a mistake. If
          not, somebody else knows the password: have it changed first.
        </p>
        <OwnPassword value={current} onChange={setCurrent} />
        {allow.isError && <Failure error={allow.error} />}
        <button type="submit" disabled={allow.isPending}>
          {allow.isPending ? 'Allowing…' : 'Allow codes again'}
        </button>
      </form>
    </details>
  );
}

function Invite({ roles, isProduction }: { roles: readonly (readonly [Role, string])[]; isProduction: boolean }): ReactNode {
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
    onSuccess: () => queryClient.invalidateQueries(peopleQuery),
    onSettled: () => setCurrent(''),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    invite.mutate();
  };
  return (
    <form onSubmit={submit}>
      <h3>Invite somebody</h3>
      <Field
        label="Name"
        required
        maxLength={100}
        autoComplete="off"
        value={name}
        onChange={event => setName(event.target.value)}
      />
      <Field
        label="E-mail address"
        type="email"
        required
        autoComplete="off"
        value={email}
        onChange={event => setEmail(event.target.value)}
      />
      <div className="field">
        <label htmlFor="role">Role</label>
        <select id="role" value={role} onChange={event => setRole(event.target.value as Role)}>
          {roles.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      {takesPassword && <OwnPassword value={current} onChange={setCurrent} />}
      {invite.isError && <Failure error={invite.error} />}
      {invite.data && (
        <p className="notice good" role="status">
          {invite.data.email} gets a link by e-mail, good for three days.
        </p>
      )}
      <button type="submit" className="main" disabled={invite.isPending}>
        {invite.isPending ? 'Inviting…' : 'Invite'}
      </button>
    </form>
  );
}
