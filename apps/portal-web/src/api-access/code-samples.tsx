import { type ReactNode, useState } from 'react';
import type { PortalAccount } from '../portal-api';
import { Choice, Code } from '../ui';
import { asIs, t } from '../language/language';

type Language = 'curl' | 'Node' | 'Python';

const languages: readonly Language[] = ['curl', 'Node', 'Python'];

/** A first call with the reader's own account in it, ready to be copied. Never a password. */
export function CodeSamples({ access: { username, mode } }: { access: PortalAccount }): ReactNode {
  const [language, setLanguage] = useState<Language>('curl');
  return (
    <section className="card" aria-labelledby="samples">
      <h2 id="samples">{t('From your program')}</h2>
      <p>
        {mode === 'BASIC'
          ? t('Make a code of R 110.00, with the password in the environment as API_PASSWORD:')
          : t(
              'Log in with the password in the environment as API_PASSWORD, then make a code of R 110.00 with the session’s token:',
            )}
      </p>
      <Choice
        label="Language"
        options={languages.map(each => [each, asIs(each)])}
        value={language}
        onChange={setLanguage}
        isInline
      />
      <Code label={t('Sample in {language}', { language })}>
        {(mode === 'BASIC' ? basic : bearer)[language](location.origin, username)}
      </Code>
    </section>
  );
}

type Samples = Record<Language, (origin: string, username: string) => string>;

const order = `{"merchantReference":"order-1","amount":110.00,"currencyCode":"ZAR"}`;

const basic: Samples = {
  curl: (origin, username) => `curl -u "${username}:$API_PASSWORD" \\
  -H 'Content-Type: application/json' \\
  -d '${order}' \\
  ${origin}/pluto/code/create`,
  Node: (origin, username) => `const credentials = Buffer.from(\`${username}:\${process.env.API_PASSWORD}\`).toString('base64');
const answer = await fetch('${origin}/pluto/code/create', {
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: \`Basic \${credentials}\` },
  body: '${order}',
});
console.log(answer.status, await answer.text());`,
  Python: (origin, username) => `import os, requests

answer = requests.post('${origin}/pluto/code/create',
    auth=('${username}', os.environ['API_PASSWORD']),
    headers={'Content-Type': 'application/json'},
    data='${order}')
print(answer.status_code, answer.text)`,
};

const bearer: Samples = {
  curl: (origin, username) => `TOKEN=$(curl -s -H 'Content-Type: application/json' \\
  -d "{\\"identity\\":\\"${username}\\",\\"password\\":\\"$API_PASSWORD\\"}" \\
  ${origin}/authentication/login | jq -r .headerValue)
curl -H "Authorization: $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '${order}' \\
  ${origin}/pluto/code/create`,
  Node: (origin, username) => `const post = (path, body, headers = {}) =>
  fetch('${origin}' + path, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
const login = JSON.stringify({ identity: '${username}', password: process.env.API_PASSWORD });
const { headerName, headerValue } = await (await post('/authentication/login', login)).json();
const answer = await post('/pluto/code/create', '${order}', { [headerName]: headerValue });
console.log(answer.status, await answer.text());`,
  Python: (origin, username) => `import os, requests

session = requests.post('${origin}/authentication/login',
    json={'identity': '${username}', 'password': os.environ['API_PASSWORD']}).json()
answer = requests.post('${origin}/pluto/code/create',
    headers={'Content-Type': 'application/json', session['headerName']: session['headerValue']},
    data='${order}')
print(answer.status_code, answer.text)`,
};
