// The heavy packages of the specs in one script, which a worker compiles once for all its spec files: Jest itself reads, resolves and compiles
// some 2,000 files for each spec file that loads Nest and TypeORM. Each spec file still has packages of its own, as their state is.
const { execFileSync } = require('node:child_process');
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { Script } = require('node:vm');

const folder = join(__dirname, '../../../.cache/jest-packages');
const key = 'paycodePackages';
/** A package that is here must not be loaded by one that is not: there would be two of it. */
const names = `@nestjs/common @nestjs/core @nestjs/core/helpers/execution-context-host.js @nestjs/microservices @nestjs/passport
  @nestjs/platform-fastify @nestjs/testing @nestjs/typeorm @peculiar/x509 @simplewebauthn/server @simplewebauthn/server/helpers axios
  class-transformer class-validator fastify ipaddr.js jose jsonwebtoken nodemailer openid-client otpauth passport passport-http passport-jwt pg
  pino prom-client rxjs typeorm undici zod`.split(/\s+/);

/** For Jest's moduleNameMapper. */
exports.pattern = `^(${names.join('|').replaceAll('.', '\\.')})$`;
exports.mapped = join(folder, 'of/$1.cjs');

/** zod as the bundler of the services does not take it apart. */
const wholes = { zod: 'zod/v4' };
const wholeOf = name => wholes[name] ?? name;

/** Makes the bundle unless it is there, and a file for each package that stands in its place. */
exports.makeBundle = () => {
  const { isUpToDate } = require('../../run/build/package-bundle.ts');
  const bundled = names.map(wholeOf).sort();
  if (isUpToDate(folder, bundled)) return;
  for (const name of names) {
    const file = join(folder, 'of', `${name}.cjs`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `module.exports = globalThis.${key}(require)[${JSON.stringify(wholeOf(name))}];\n`);
  }
  const bundler = JSON.stringify(require.resolve('../../run/build/package-bundle.ts'));
  const make = `require(${bundler}).bundlePackages(new Map([[${JSON.stringify(folder)}, ${JSON.stringify(bundled)}]]))`;
  execFileSync(process.execPath, ['--eval', make], { stdio: ['ignore', 'inherit', 'inherit'] });
};

let script;

/** Gives the spec files of this environment their packages. */
exports.offerPackages = environment => {
  let packages;
  environment.global[key] = require => {
    if (packages) return packages;
    const [module, filename] = [{ exports: {} }, join(folder, 'packages.cjs')];
    const wrapped = () => `(function (module, require, __dirname, __filename) {${readFileSync(filename, 'utf8')}\n})`;
    script ??= new Script(wrapped(), { filename });
    script.runInContext(environment.getVmContext())(module, require, folder, filename);
    return (packages = module.exports);
  };
};
