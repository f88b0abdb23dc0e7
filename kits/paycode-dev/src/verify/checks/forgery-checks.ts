import type { Exchange } from '../../transport/exchange';
import {
  type AlteredBody,
  flippedBodies,
  shortBodies,
  shortTagBodies,
  unencryptedBodies,
  wrongKeyBodies,
} from '../../webhook/altered-body';
import { type Check, fail, type Finding, isAccepted, outcomeOf, pass, sentence, type Subject, warn } from '../check';

const section = 'Forged notifications';

/** Each body is refused with a status other than 200, and afterwards a good one is accepted. */
function forgeryCheck(id: string, title: string, make: (text: string, key: Buffer) => AlteredBody[]): Check {
  const run = async (subject: Subject): Promise<Finding> => {
    const { maker, key, deliver, deliverBody } = subject;
    const answers: [AlteredBody, Exchange][] = [];
    for (const altered of make(maker.success().text, key)) {
      const answer = await deliverBody(altered.body);
      answers.push([altered, answer]);
      if (answer.status === null) break; // the good body below tells whether anybody is still there
    }
    const after = await deliver(maker.success());
    return judge(answers, after);
  };
  return { id, title, section, run };
}

function judge(answers: readonly [AlteredBody, Exchange][], after: Exchange): Finding {
  const accepted = answers.find(([, exchange]) => isAccepted(exchange));
  if (accepted) return fail(`Answered 200 to ${accepted[0].what}: whoever knows the URL can forge payments.`);
  const silent = answers.find(([, { status }]) => status === null);
  if (silent) return fail(`To ${silent[0].what}: ${outcomeOf(silent[1])}.${isAccepted(after) ? '' : crashed(after)}`);
  if (!isAccepted(after)) return fail(`All were refused, and then a good body was not accepted.${crashed(after)}`);
  const broken = answers.find(([, { status }]) => status! >= 500);
  if (broken) return warn(`${sentence(outcomeOf(broken[1]))} To ${broken[0].what}; 400 would say that the body is at fault.`);
  return pass(`refused: ${answers.map(([, { status }]) => status).join(', ')}`);
}

function crashed(after: Exchange): string {
  return ` The next good body: ${outcomeOf(after)}. It seems that the receiver crashed.`;
}

export const forgeryChecks: Check[] = [
  forgeryCheck('wrong-key', 'a body under another key is refused', wrongKeyBodies),
  forgeryCheck('flipped-bit', 'a flipped bit is noticed', flippedBodies),
  forgeryCheck('short-body', 'short bodies are refused', shortBodies),
  forgeryCheck('short-tag', 'a short tag is refused', shortTagBodies),
  forgeryCheck('not-encrypted', 'unencrypted notifications are refused', unencryptedBodies),
];
