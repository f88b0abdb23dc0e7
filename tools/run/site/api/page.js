// Shows the OpenAPI documents; both come from this host, and so does everything that is tried.
const darkScheme = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', darkScheme.matches);
darkScheme.addEventListener('change', followScheme);
followScheme();

/** The text of an operation that a reader can search; the viewer's own filter searches tags only. */
const textOf = operation => {
  const { path, method, operation: said } = operation.toJS();
  return [method, path, said.operationId, said.summary, said.description].join(' ').toLowerCase();
};
const findOperations = (tags, phrase) => {
  const words = phrase.toLowerCase().split(/\s+/);
  const isFound = text => words.every(word => text.includes(word));
  return tags
    .map((tag, name) =>
      isFound(name.toLowerCase()) ? tag : tag.update('operations', all => all.filter(operation => isFound(textOf(operation)))),
    )
    .filter(tag => tag.get('operations').size > 0);
};

SwaggerUIBundle({
  dom_id: '#reference',
  url: new URLSearchParams(location.search).has('webhooks') ? '/docs/api/webhooks.json' : '/docs/api/public.json',
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  docExpansion: 'list',
  filter: true,
  plugins: [() => ({ fn: { opsFilter: findOperations } })],
  tryItOutEnabled: false,
  validatorUrl: null,
});
