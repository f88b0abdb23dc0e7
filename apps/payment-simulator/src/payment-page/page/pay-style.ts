/** Every colour has at least 4.5:1 on what it stands on, in both sets. */
export const payStyle = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif;
  --page: #f4f6f9; --surface: #fff; --text: #17202b; --dim: #55606e; --line: #7d8896; --main: #14693a; --on-main: #fff; --bad: #a81e1e; --test: #7a5200; }
@media (prefers-color-scheme: dark) {
  :root { --page: #0f141a; --surface: #18202a; --text: #e8edf3; --dim: #a7b3c1; --line: #7d8b9c; --main: #7fdca4; --on-main: #08210f; --bad: #ff9c9c; --test: #ffd070; }
}
*, ::before, ::after { box-sizing: border-box; }
body { background: var(--page); color: var(--text); margin: 0 auto; max-width: 30rem; padding: 1rem; }
main { background: var(--surface); border-radius: .75rem; padding: 1.25rem; }
h1 { font-size: 1.4rem; line-height: 1.25; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 0 0 .5rem; }
.amount { font-size: 2rem; font-weight: 600; line-height: 1.2; margin: .25rem 0 .75rem; overflow-wrap: anywhere; }
dl { display: grid; gap: .25rem 1rem; grid-template-columns: auto 1fr; margin: .75rem 0; }
dt { color: var(--dim); }
dd { margin: 0; overflow-wrap: anywhere; text-align: right; }
fieldset { border: 0; margin: 1.25rem 0 0; padding: 0; }
legend { font-weight: 600; padding: 0; }
label { display: block; font-weight: 500; margin: .75rem 0 .25rem; }
input, select, button { border: 1px solid var(--line); border-radius: .4rem; font: inherit; min-height: 2.75rem; padding: .5rem .6rem; width: 100%; }
input, select { background: var(--surface); color: var(--text); }
[aria-invalid='true'] { border: 2px solid var(--bad); }
:focus-visible { outline: 3px solid var(--main); outline-offset: 2px; }
.total { border-top: 1px solid var(--line); display: flex; font-size: 1.25rem; font-weight: 600; justify-content: space-between; margin: 1.25rem 0 .75rem; padding-top: .75rem; }
button { background: var(--main); border: 0; color: var(--on-main); cursor: pointer; font-weight: 600; }
button:disabled { cursor: progress; opacity: .7; }
p { margin: .5rem 0; }
.problem, [data-state='refused'] { color: var(--bad); font-weight: 500; }
.problem { margin: .25rem 0 0; }
[hidden], #result:empty { display: none; }
.hint { color: var(--dim); font-size: .875rem; margin: .25rem 0 0; }
.sandbox { border: 2px dashed var(--test); border-radius: .75rem; margin-bottom: 1rem; padding: .75rem 1.25rem; }
.sandbox h2 { color: var(--test); font-size: 1rem; margin: 0; }
.qr { background: #fff; display: block; height: 10rem; margin: 1.25rem auto 0; width: 10rem; }
footer { margin-top: 1rem; text-align: center; }
footer a { color: inherit; display: inline-block; padding: .25rem .5rem; }
@media (max-width: 40rem), (pointer: coarse) { .qr { display: none; } }
@media print { .sandbox, .qr, footer { display: none; } }
`;

export const payIcon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M1 1h6v6H1zm8 0h6v6H9zM1 9h6v6H1zm8 0h2v2H9zm4 4h2v2h-2z" fill="#0b5"/></svg>';
