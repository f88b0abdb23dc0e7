import { html } from './html';

describe('html', () => {
  it('escapes every value, so that text of a merchant is shown and never run', () => {
    const name = `<script>alert('1')</script>"&`;
    expect(html`<p title="${name}">${name}</p>`.text).toBe(
      '<p title="&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot;&amp;">&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot;&amp;</p>',
    );
  });

  it('joins lists of html, and an empty value gives no text', () => {
    const items = ['a', '<'].map(item => html`<li>${item}</li>`);
    expect(
      html`<ul>
        ${items}
      </ul>`.text.replace(/\s+/g, ''),
    ).toBe('<ul><li>a</li><li>&lt;</li></ul>');
    expect(html`<p>${null}${undefined}</p>`.text).toBe('<p></p>');
  });
});
