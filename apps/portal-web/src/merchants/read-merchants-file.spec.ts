import { fileRowsMax, readCsv, readMerchantsFile } from './read-merchants-file';

const rowsOf = (text: string) => {
  const read = readMerchantsFile(text);
  if ('problem' in read) throw new Error(read.problem);
  return read.rows;
};
const problemsOf = (line: string) => rowsOf(`merchantId,name,url,recipients\n${line}`)[0]!.problems;

describe('a file of merchants', () => {
  it('has columns in any order, by comma or semicolon, with quotes, a mark of UTF-8 and blank lines', () => {
    const expected = {
      line: 2,
      merchantId: 1001,
      name: 'Corner "Coffee", Ltd',
      url: 'https://shop.example/hook',
      recipients: [
        { type: 'EMAIL', value: 'a@shop.example' },
        { type: 'SMS', value: '+27820000001' },
      ],
      problems: [],
    };
    const quoted = '"Corner ""Coffee"", Ltd"';
    expect(
      rowsOf(
        `\uFEFFmerchantId,name,url,recipients\r\n1001,${quoted},https://shop.example/hook,a@shop.example +27820000001\r\n\r\n`,
      ),
    ).toEqual([expected]);
    expect(
      rowsOf(`url;recipients;merchantId;name\nhttps://shop.example/hook;"a@shop.example;+27820000001";1001;${quoted}`),
    ).toEqual([expected]);
  });

  it.each([
    ['01,,https://a.example/,', 'merchantId must have digits only'],
    ['9007199254740993,,https://a.example/,', 'merchantId must have digits only'],
    ['7,,ftp://a.example/,', 'url must be an address'],
    ['7,,a.example,', 'url must be an address'],
    ['7,Shop,,', 'url or recipients must be given'],
    ['7,,,a@shop', 'recipients: a@shop must be'],
    ['7,,,12', 'recipients: 12 must be'],
    [`7,,,${Array.from({ length: 21 }, (_, at) => `a${at}@shop.example`).join(' ')}`, 'recipients must be at most 20'],
    ['7,Shop', 'The line must have 4 columns, and has 2'],
  ])('a line %s names the field and the rule', (line, problem) => {
    expect(problemsOf(line)).toEqual(expect.arrayContaining([expect.stringContaining(problem)]));
  });

  it('a merchant stands in it once, and the line of the first is named', () => {
    const rows = rowsOf('merchantId,url\n7,https://a.example/\n8,https://a.example/\n7,https://b.example/');
    expect(rows.map(each => each.problems)).toEqual([
      [],
      [],
      ['merchantId must stand in the file once, and stands in line 2 too.'],
    ]);
  });

  it.each([
    ['', 'The first line must name the columns'],
    ['merchantId,secret\n7,x', 'The first line must name the columns'],
    ['url\nhttps://a.example/', 'The first line must name the columns'],
    ['merchantId,url,url\n7,a,b', 'The first line must name the columns'],
    ['merchantId,url\n', 'no merchant'],
  ])('what is no such file is refused with the rule: %j', (text, problem) => {
    expect(readMerchantsFile(text)).toEqual({ problem: expect.stringContaining(problem) });
  });

  it('of more than 1,000 merchants is refused', () => {
    const text = `merchantId,url\n${'7,x\n'.repeat(fileRowsMax + 1)}`;
    expect(readMerchantsFile(text)).toEqual({ problem: expect.stringContaining('has 1001 merchants') });
  });

  it('a line break in quotes counts, so that lines keep their numbers; a stray quote stays in its field', () => {
    expect(readCsv('a,"b\nc"\r\nd,e"f\r"g"h,i\n', ',')).toEqual([
      { line: 1, cells: ['a', 'b\nc'] },
      { line: 3, cells: ['d', 'e"f'] },
      { line: 4, cells: ['"g"h', 'i'] },
    ]);
  });
});
