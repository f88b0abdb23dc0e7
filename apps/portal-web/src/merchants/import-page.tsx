import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { meQuery } from '../queries';
import { Confirm, Field, Table } from '../ui';
import { fileBytesMax, fileRowsMax, type FileRow, readMerchantsFile } from './read-merchants-file';
import { type RowResult, sendRows } from './send-rows';
import './merchants.css';
import { asIs, t, useTitle } from '../language/language';

type Read = ReturnType<typeof readMerchantsFile>;

/** Sets up many merchants by a file: a look at what it says, then each line as if a person had typed it, with its result. */
export function ImportPage(): ReactNode {
  const { data: me } = useQuery(meQuery);
  const [read, setRead] = useState<Read>();
  useTitle('Set up merchants by a file');
  const choose = async (file: File | undefined) => {
    setRead(undefined);
    if (!file) return;
    const isLong = file.size > fileBytesMax;
    setRead(
      isLong
        ? { problem: t('The file is larger than 1 MB, which is the most: split it.') }
        : readMerchantsFile(await file.text()),
    );
  };
  return (
    <>
      <p>
        <Link to="/merchants" search={{ search: undefined, after: undefined }}>
          {t('All merchants')}
        </Link>
      </p>
      <h1>{t('Set up merchants by a file')}</h1>
      {me && !me.person.mayConfigure && <p className="notice">{t('Your role may look, and not change anything.')}</p>}
      {me && me.person.mayConfigure && !me.person.hasPassword && (
        <p className="notice">
          {t(
            'Each line is confirmed by your own password, and your company signs you in without one. Set up merchants one by one.',
          )}
        </p>
      )}
      {me?.person.mayConfigure && me.person.hasPassword && (
        <>
          <section className="card" aria-labelledby="file">
            <h2 id="file">{t('File')}</h2>
            <p>
              {t('A CSV of at most {count} merchants: server and recipients of each. Nothing is changed before you say so.', {
                count: asIs(fileRowsMax),
              })}
            </p>
            <pre role="group" aria-label={t('Sample of the file')}>
              {
                'merchantId,name,url,recipients\n1001,Corner Coffee,https://pay.corner.example/hook,till@corner.example +27820000001'
              }
            </pre>
            <Field label="CSV file" type="file" accept=".csv,text/csv" onChange={(_, { files }) => void choose(files?.[0])} />
            {read && 'problem' in read && (
              <p className="notice bad" role="alert">
                {read.problem}
              </p>
            )}
          </section>
          {read && 'rows' in read && <Rows key={`${read.rows.length} ${read.rows[0]?.merchantId}`} rows={read.rows} />}
        </>
      )}
    </>
  );
}

function Rows({ rows }: { rows: FileRow[] }): ReactNode {
  const good = rows.filter(({ problems }) => problems.length === 0);
  const [results, setResults] = useState<ReadonlyMap<number, RowResult>>(new Map());
  const [isAsking, setAsking] = useState(false);
  const [doesReplace, setReplace] = useState(false);
  const [waitingS, setWaitingS] = useState<number>();
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const sending = useMutation({
    mutationFn: (current: string) => {
      stop.current = new AbortController();
      const left = good.filter(({ line }) => !results.get(line)?.isDone);
      const onResult = (result: RowResult) => setResults(before => new Map(before).set(result.line, result));
      return sendRows(left, { current, doesReplace, signal: stop.current.signal, onResult, onWaiting: setWaitingS });
    },
  });
  useKeptOpen(sending.isPending);
  const done = [...results.values()].filter(({ isDone }) => isDone).length;
  return (
    <section className="merchant-list card" aria-labelledby="preview">
      <h2 id="preview">{t('{good} of {all} lines can be sent', { good: good.length, all: rows.length })}</h2>
      {good.length < rows.length && (
        <p>{t('Lines with a mistake stay out. Mend the file and choose it again, or go on without them.')}</p>
      )}
      <label className="row">
        <input
          type="checkbox"
          checked={doesReplace}
          disabled={sending.isPending}
          onChange={event => setReplace(event.target.checked)}
        />
        {t('Replace URLs that are set')}
      </label>
      <div className="row">
        <button
          type="button"
          className="main"
          disabled={sending.isPending || good.length === 0 || done === good.length}
          onClick={() => setAsking(true)}
        >
          {results.size === 0
            ? t('{count, plural, one {Set up # merchant} other {Set up # merchants}}', { count: good.length })
            : t('Send the lines that are left')}
        </button>
        {sending.isPending && (
          <button type="button" onClick={() => stop.current.abort()}>
            {t('Stop')}
          </button>
        )}
        {results.size > 0 && !sending.isPending && (
          <button type="button" onClick={() => download(rows, results)}>
            {t('Download results with keys')}
          </button>
        )}
      </div>
      {(sending.isPending || results.size > 0) && (
        <Progress of={good.length} done={done} failed={results.size - done} isAtWork={sending.isPending} waitingS={waitingS} />
      )}
      <Lines rows={rows} results={results} />
      {isAsking && (
        <AskPassword
          count={good.length - done}
          onClose={() => setAsking(false)}
          onGiven={current => {
            setAsking(false);
            sending.mutate(current);
          }}
        />
      )}
    </section>
  );
}

function Progress(props: {
  of: number;
  done: number;
  failed: number;
  isAtWork: boolean;
  waitingS: number | undefined;
}): ReactNode {
  const { of, done, failed, isAtWork, waitingS } = props;
  return (
    <>
      <progress aria-label={t('Lines that were sent')} max={of} value={done + failed} />
      <p role="status">
        {t('{done} done, {failed} not', { done, failed })}
        {isAtWork && `, ${t('keep this page open')}`}
        {waitingS !== undefined && `. ${t('Too many at once: goes on in {seconds} s', { seconds: waitingS })}`}
      </p>
    </>
  );
}

function Lines({ rows, results }: { rows: FileRow[]; results: Results }): ReactNode {
  return (
    <Table label="Lines of the file" columns={['Line', 'Merchant', 'URL', 'Recipients', 'Result']}>
      {rows.map(row => (
        <tr key={row.line}>
          <td>{row.line}</td>
          <th scope="row">
            {row.name} <span className="dim">{row.merchantId || '–'}</span>
          </th>
          <td>{row.url || '–'}</td>
          <td>{row.recipients.map(({ value }) => value).join(', ') || '–'}</td>
          <td className={isWrong(row, results) ? 'import-problem' : ''}>{resultOf(row, results)}</td>
        </tr>
      ))}
    </Table>
  );
}

function AskPassword(props: { count: number; onClose: () => void; onGiven: (current: string) => void }): ReactNode {
  const [current, setCurrent] = useState('');
  const given = () => {
    props.onGiven(current);
    return Promise.resolve();
  };
  return (
    <Confirm
      title={t('{count, plural, one {Set up # merchant} other {Set up # merchants}}', { count: props.count })}
      action="Set up"
      onConfirm={given}
      onClose={props.onClose}
    >
      <p>{t('The platform asks each server before it takes its URL. E-mail recipients and owners are told of each change.')}</p>
      <Field
        label="Your password for the portal"
        type="password"
        autoComplete="current-password"
        required
        value={current}
        onChange={setCurrent}
      />
    </Confirm>
  );
}

type Results = ReadonlyMap<number, RowResult>;

const isWrong = ({ line, problems }: FileRow, results: Results) => problems.length > 0 || results.get(line)?.isDone === false;
const resultOf = ({ line, problems }: FileRow, results: Results) => problems.join(' ') || results.get(line)?.result || t('Ready');

/** A person who closes the page would lose keys that are shown once. */
function useKeptOpen(isAtWork: boolean): void {
  useEffect(() => {
    if (!isAtWork) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isAtWork]);
}

/** A text that a spreadsheet would take for a formula gets an apostrophe. */
const cellOf = (text: string) => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;

function download(rows: readonly FileRow[], results: Results): void {
  const lines = rows.map(row => {
    const { isDone = false, encryptKey = '' } = results.get(row.line) ?? {};
    const state = isDone ? 'DONE' : isWrong(row, results) ? 'FAILED' : 'NOT_SENT';
    return [String(row.line), String(row.merchantId || ''), row.url, state, resultOf(row, results), encryptKey];
  });
  const text = [['line', 'merchantId', 'url', 'state', 'result', 'encryptKey'], ...lines]
    .map(cells => cells.map(cellOf).join(','))
    .join('\r\n');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([`\uFEFF${text}\r\n`], { type: 'text/csv' }));
  link.download = `merchants-${new Date().toISOString().slice(0, 10)}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
}
