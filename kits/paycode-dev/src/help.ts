import { commands } from './commands/commands';

const commandLines = commands.map(({ name, summary }) => `  ${name.padEnd(18)}${summary}\n`).join('');

const general = `paycode-dev: for those who receive Paycode's notifications

  PAYCODE_WEBHOOK_KEY=… paycode-dev verify https://shop.example.com/paycode
  paycode-dev verify http://127.0.0.1:9000/ --key webhook.key --html report.html
  paycode-dev login --home .paycode --user merchant-1002
  paycode-dev trigger success

Commands
  verify <url>      tries a receiver and says what passes, warns or fails
  decrypt [<file>]  prints the JSON of a notification; without a file from stdin
${commandLines}  help <command>    its options

A key comes from a file or from the environment, never from the command line.
`;

const keys = `  --key <file>          the key that addHttp answered, or PAYCODE_WEBHOOK_KEY
  --new-key <file>      the key of a renewal, or PAYCODE_WEBHOOK_NEW_KEY
`;

const topics: Record<string, string> = {
  verify: `paycode-dev verify <url>: tries a receiver of notifications

  paycode-dev verify http://127.0.0.1:9000/ --key webhook.key
  paycode-dev verify https://shop.example.com/paycode --key old.key \\
    --new-key new.key --junit verify.xml

It sends about 150 notifications of payments that do not exist. The receiver
takes them for real: try one that ships nothing.

${keys}  --reference <text>    the reference of all notifications: an order you know
  --merchant-id <id>    the merchant of all notifications
  --window <seconds>    how long an answer may take; 45 unless given
  --within <seconds>    how long all may take; 600 unless given
  --ca <file>           PEM of the authority to trust, instead of the system's
  --header-file <file>  one line \`Name: value\`, which the receiver demands
  --client <file>       PEM of a certificate and its key, for mutual TLS
  --json                the report as JSON
  --junit <file>        also as JUnit XML
  --html <file>         also as one HTML page
  --strict              a warning is a failure

Exit codes
  0  nothing failed            2  wrong call, key or file
  1  something failed          3  the receiver never answered
`,
  decrypt: `paycode-dev decrypt [<file>]: prints the JSON of a notification

  paycode-dev decrypt body.txt --key webhook.key
  pbpaste | PAYCODE_WEBHOOK_KEY=… paycode-dev decrypt

The body is base64 text, from the file or from stdin. The JSON comes out digit
for digit; it holds personal data.

${keys}
Exit codes
  0  decrypted    1  refused: BAD_ENCODING, TOO_SHORT or NOT_AUTHENTIC
                  2  wrong call, key or file
`,
};

/** Text of `--help`: an example first. */
export function helpOf(topic: string | undefined): string {
  const command = commands.find(({ name }) => name === topic);
  return command?.help ?? ((topic !== undefined && topics[topic]) || general);
}
