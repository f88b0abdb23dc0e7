// Shows the OpenAPI documents; both come from this host, and so does everything that is tried.
const darkScheme = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', darkScheme.matches);
darkScheme.addEventListener('change', followScheme);
followScheme();

SwaggerUIBundle({
  dom_id: '#reference',
  url: new URLSearchParams(location.search).has('webhooks') ? '/docs/api/webhooks.json' : '/docs/api/public.json',
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  docExpansion: 'list',
  filter: true,
  tryItOutEnabled: false,
  validatorUrl: null,
});
