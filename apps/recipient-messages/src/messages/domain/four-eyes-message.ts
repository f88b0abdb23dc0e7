import type { EmailText, ToldRequest } from './message';
import { escapedHtml, plainText } from './plain-text';

/** Asks a second person. Names and texts of people are shown as plain text (T-25). */
export function fourEyesEmail(request: ToldRequest): EmailText {
  const by = plainText(request.askedBy, 100);
  const what = plainText(request.what, 200);
  const lines = [
    `Hello ${plainText(request.name, 100)},`,
    `${by} asks for ${what}, at ${plainText(request.tenant, 100)}. It takes a second person: confirm or refuse it until ${plainText(request.expiresAt, 40)}. Nothing has changed yet.`,
    request.link,
    `If ${by} did not ask for this, refuse it: somebody else may use that sign-in.`,
  ];
  const paragraphs = lines.map(line => `<p>${escapedHtml(line)}</p>`).join('');
  return {
    subject: `${by} needs your confirmation in the Paycode portal`,
    text: `${lines.join('\n\n')}\n`,
    html: `<!doctype html><html lang="en"><body>${paragraphs}</body></html>`,
  };
}
