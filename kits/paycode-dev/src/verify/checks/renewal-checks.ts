import { type Check, type Finding, skip, type Subject } from '../check';
import { mustBeAccepted } from '../outcome';

const section = 'Renewal of the key';

function renewalCheck(id: string, title: string, run: (subject: Subject, newKey: Buffer) => Promise<Finding>): Check {
  return {
    id,
    title,
    section,
    run: subject => (subject.newKey ? run(subject, subject.newKey) : skip('No new key was given (--new-key).')),
  };
}

export const renewalChecks: Check[] = [
  renewalCheck('new-key', 'a body under the new key is acknowledged', async ({ maker, deliver }, key) =>
    mustBeAccepted(await deliver(maker.success(), { key }), 'The platform uses the new key from the moment of renewKey on.'),
  ),
  renewalCheck('old-key', 'a body under the old key still is', async ({ maker, deliver }) =>
    mustBeAccepted(
      await deliver(maker.success()),
      'A notification on its way was encrypted under the old key: take both for a while.',
    ),
  ),
];
