import { ReportReader } from './statement-use.ts';

const report = (database: string, query: string, [user, system]: [number, number]) =>
  [
    `<${database} ${query}>LOG:  EXECUTE MESSAGE STATISTICS`,
    `<${database} ${query}>DETAIL:  ! system usage stats:`,
    `\t!\t${user.toFixed(6)} s user, ${system.toFixed(6)} s system, 0.004000 s elapsed`,
    '\t!\t[0.1 s user, 0.1 s system total]',
    '',
  ].join('\n');

describe("PostgreSQL's reports of its statements", () => {
  it('are summed by database and query, however their text is cut', () => {
    const reader = new ReportReader();
    const text = report('a', '-5', [0.001, 0.0005]) + report('b', '-5', [0.002, 0]) + report('a', '-5', [0.003, 0]);
    for (const character of text) reader.read(character);
    expect([...reader.cpuUs].map(([key, us]) => [key, Math.round(us)])).toEqual([['a -5', 4_500], ['b -5', 2_000]]); // prettier-ignore
  });
});
