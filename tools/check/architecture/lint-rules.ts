/** Rules of `paycode/…` in eslint.config.mjs, which ESLint and its plugins do not have. */
import { basename } from 'node:path';
import type { Rule } from 'eslint';

type Names = Record<string, string>;

/** Reports each node that one of the selectors finds, with the beginning of its text. */
function forbidding(messages: Names): Rule.RuleModule {
  return {
    meta: { type: 'problem', schema: [] },
    create: context =>
      Object.fromEntries(
        Object.entries(messages).map(([selector, message]) => [
          selector,
          (node: Rule.Node) => {
            const [begin] = context.sourceCode.getText(node).split('\n', 1);
            context.report({ node, message: `${begin!.slice(0, 60)}: ${message}` });
          },
        ]),
      ),
  };
}

const manyParameters = 'at most 3 parameters: use an options object';

/** A constructor takes what it needs. A rest parameter that is taken apart is as many parameters as it has names. */
const parameters = forbidding({
  ':function[params.length>3]:not(MethodDefinition[kind="constructor"] > *)': manyParameters,
  'RestElement > ArrayPattern > * ~ * ~ * ~ *': manyParameters,
});

const setting = '/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/';
/** A setting of one word is known by the object that it is read from. */
const settingsObject = 'MemberExpression[object.name=/^(env|settings|values|options)$/]';
const readsSetting = 'a setting is read here; config/ or app.module.ts hands it over as an option with a camelCase name';

/**
 * The names of the environment end where it is read. Options of a module, a provider or a class have camelCase names; `config/` or `app.module.ts` of
 * a service translates, and in a library the file that declares the settings (`…-env.ts`). `Number` and `constants` of Node have such names too.
 */
const settingReads = forbidding({
  [`MemberExpression[computed=false][property.name=${setting}]:not([object.name=/^(Number|constants)$/])`]: readsSetting,
  [`MemberExpression[property.value=${setting}]`]: readsSetting,
  [`${settingsObject}:matches([property.name=/^[A-Z]{3,}$/], [property.value=/^[A-Z]{3,}$/])`]: readsSetting,
  [`ObjectPattern > Property[key.name=${setting}]`]: readsSetting,
});

const declaration = ':matches(ClassDeclaration, TSInterfaceDeclaration, TSTypeAliasDeclaration)';

const className = forbidding({
  [`${declaration}[id.name=/(Manager|Helpers?|Utils?|Common|Impl)$/]`]:
    'name the thing, not a Manager, Helper, Util, Common or Impl',
  [`${declaration}[id.name=/^I[A-Z][a-z]/]`]: 'no I prefix',
});

/** Boundary rules know controllers and consumers by the suffix of their file. */
const controllerFile = forbidding({
  'Decorator[expression.callee.name="Controller"]': 'a @Controller class belongs into a .controller.ts or .consumer.ts file',
});

const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/;
const emptyWords = /(^|-)(manager|helpers?|utils?|common|misc|impl)(?=[-.]|$)/;

/** Suffixes that are the last word of a class in the file: `codes.service.ts` exports a class …Service. */
const classSuffixes = new Set(
  `client consumer controller directory entity error filter guard interceptor job mailer metrics middleware module opener pipe
   poster probe query queue repository route sender service store strategy`.split(/\s+/),
);

/** Suffixes of files that are named for something else than a class. */
const otherSuffixes = new Set(
  `browser cluster compat conformance contract definition dto e2e event fault guide int kit main manifest migration nodes fixture policy ports preload provider rule spec sql
   token worker`.split(/\s+/),
);

/** Kebab-case with dots before known role suffixes, and no word that says nothing. */
const fileName: Rule.RuleModule = {
  meta: { type: 'problem', schema: [] },
  create: context => ({
    Program(node) {
      const name = basename(context.filename).replace(/\.(tsx?|mjs|cjs)$/, '');
      const report = (message: string): void => context.report({ node, message: `${name}: ${message}` });
      const word = emptyWords.exec(name)?.[2];
      const suffixes = name.split('.').slice(1);
      const unknown = suffixes.find(part => !classSuffixes.has(part) && !otherSuffixes.has(part));
      if (!kebabCase.test(name)) report('file names are kebab-case');
      if (word) report(`${word} says nothing; name the thing`);
      if (unknown) report(`.${unknown} is no suffix of this project (tools/check/architecture/lint-rules.ts)`);
    },
  }),
};

/** A file with a role suffix exports a class whose name ends in it. */
const classFile: Rule.RuleModule = {
  meta: { type: 'problem', schema: [] },
  create: context => {
    const suffix = basename(context.filename)
      .split('.')
      .slice(1, -1)
      .find(role => classSuffixes.has(role));
    const lastWords: string[] = [];
    return {
      ClassDeclaration: node => void lastWords.push(/[A-Z][a-z]*$/.exec(node.id?.name ?? '')?.[0].toLowerCase() ?? ''),
      'Program:exit'(node) {
        if (suffix && !lastWords.includes(suffix))
          context.report({ node, message: `a .${suffix}.ts file exports a class whose name ends in that word` });
      },
    };
  },
};

/** The functions of libs/service-runtime/src/metrics, by the part of the name that Prometheus expects of each. */
const metricForms: Record<string, RegExp> = {
  counter: /_total$/,
  gauge: /(?<!_total|_count|_sum|_bucket)$/,
  scrapedGauge: /(?<!_total|_count|_sum|_bucket)$/,
  histogram: /_(seconds|bytes|ratio)$/,
};
const noBaseUnit = /_(ms|millis|milliseconds|micros|microseconds|minutes|hours|days|kb|kib|mb|mib|percent)(_|$)/;
const typeWord = /_(counter|gauge|histogram|summary|metric)(_|$)/;

type Argument = Rule.Node & { value?: unknown; properties?: { key?: { name?: string }; value: Argument }[] };

/** The name in `counter('name', …)` or `scrapedGauge({ name: 'name', … }, …)`; undefined when it is no literal. */
function literalName(argument: Argument | undefined): string | undefined {
  const named = argument?.properties?.find(({ key }) => key?.name === 'name')?.value ?? argument;
  return typeof named?.value === 'string' ? named.value : undefined;
}

function metricProblem(name: string, maker: string, file: string): string | undefined {
  // `apps/webhook-dispatcher/src/x.ts` is of webhook_dispatcher.
  const [, project = ''] = /(?:^|\/)(?:apps|libs)\/([^/]+)\//.exec(file) ?? [];
  const prefix = `paycode_${project.replaceAll('-', '_')}_`;
  if (!name.startsWith(prefix)) return `metrics of this project begin with ${prefix}`;
  if (!/^[a-z]+(_[a-z0-9]+)*$/.test(name)) return 'metric names are snake_case';
  if (noBaseUnit.test(name)) return 'metrics are in base units: seconds, bytes, ratio';
  if (typeWord.test(name)) return 'the type of a metric is no part of its name';
  if (metricForms[maker]!.test(name)) return undefined;
  return 'a counter ends in _total, a histogram in its unit, a gauge in neither _total, _count, _sum nor _bucket';
}

/** A metric is named `paycode_<project>_…`, in base units, by the conventions of Prometheus, as a literal that a search finds. */
const metricName: Rule.RuleModule = {
  meta: { type: 'problem', schema: [] },
  create: context => ({
    'NewExpression[callee.name=/^(Counter|Gauge|Histogram|Summary)$/]': (node: Rule.Node) =>
      context.report({
        node,
        message: 'metrics are made by counter, gauge, histogram and scrapedGauge of @paycode/service-runtime/metrics',
      }),
    CallExpression(node) {
      const call = node as unknown as { callee: { name?: string }; arguments: Argument[] };
      const maker = call.callee.name ?? '';
      if (!Object.hasOwn(metricForms, maker)) return;
      const name = literalName(call.arguments[0]);
      const problem =
        name === undefined
          ? 'the name of a metric stands as a literal where the metric is made, so that a search finds it'
          : metricProblem(name, maker, context.filename);
      if (problem) context.report({ node, message: name === undefined ? problem : `${name}: ${problem}` });
    },
  }),
};

export const lintRules: Record<string, Rule.RuleModule> = {
  'file-name': fileName,
  'class-name': className,
  'class-file': classFile,
  'controller-file': controllerFile,
  'metric-name': metricName,
  parameters,
  'setting-reads': settingReads,
};
