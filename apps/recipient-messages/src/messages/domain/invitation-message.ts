import type { PortalInvitation } from '@paycode/dto';
import type { EmailText } from './message';
import { escapedHtml, plainText } from './plain-text';

/** Lets a person into the portal. Names and texts of people are shown as plain text (T-25). */
export function invitationEmail(invitation: Omit<PortalInvitation, 'invitationId' | 'email'>): EmailText {
  const name = plainText(invitation.name, 100);
  const by = plainText(invitation.invitedBy, 100);
  const tenant = plainText(invitation.tenant, 100);
  const until = plainText(invitation.expiresAt, 40);
  const lines = [
    `Hello ${name},`,
    `${by} invites you to the Paycode portal of ${tenant}. Open this link until ${until} and choose a password:`,
    invitation.link,
    'If you did not expect this, ignore this message: without the link nobody gets in.',
  ];
  const paragraphs = lines.map(line => `<p>${escapedHtml(line)}</p>`).join('');
  return {
    subject: `Your invitation to the Paycode portal of ${tenant}`,
    text: `${lines.join('\n\n')}\n`,
    html: `<!doctype html><html lang="en"><body>${paragraphs}</body></html>`,
  };
}
