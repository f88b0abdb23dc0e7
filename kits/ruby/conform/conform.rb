# frozen_string_literal: true

# The program that the kit's tests run, where the packed gem is installed: `vectors <file>`, `serve rack` or `login`.
require 'json'
require 'paycode_receiver'
require 'pp'

$stdout.sync = true
FOLDER = ENV.fetch('KIT_FOLDER', '.')

def vectors(file)
  JSON.parse(File.read(file))['vectors'].each do |vector|
    puts JSON.generate({ name: vector['name'] }.merge(opened(vector)))
  end
end

def opened(vector)
  notification = PaycodeReceiver.open_notification(vector['body'], vector['keys'])
  vector['expect'].keys.to_h { |path| [path, at(notification, path)] }.merge('result' => 'OK')
rescue PaycodeReceiver::RefusedBody => e
  { result: e.code }
end

# The value of a field, named as in the JSON.
def at(notification, path)
  return nil if path == 'result'

  first, *rest = path.split('.')
  value = notification.public_send(first.gsub(/[A-Z]/) { |letter| "_#{letter.downcase}" })
  decimal(rest.reduce(value) { |inner, name| inner && inner[name] })
end

def decimal(value)
  return nil if value.nil?

  value.is_a?(BigDecimal) ? value.to_s('F').delete_suffix('.0') : value.to_s
end

def told_to?(what, notification)
  notification.reference.start_with?(what) && File.exist?(File.join(FOLDER, what))
end

# Read at each notification, because the receiver starts before its key exists.
def keys
  file = ENV.fetch('KIT_KEYS_FILE')
  File.exist?(file) ? File.readlines(file) : []
end

def handle(notification)
  puts "handling #{notification.transaction_id}"
  puts "printed #{[notification]} #{notification} #{notification.pretty_inspect}"
  raise 'told to fail' if told_to?('fail', notification)

  sleep 0.02 while told_to?('hold', notification)
  puts "handled #{notification.transaction_id} #{notification.status} #{decimal(notification.amount)} #{notification.reference}"
end

def on_error(error)
  puts "error #{error.message}"
  raise 'told to fail, too' if File.exist?(File.join(FOLDER, 'fail-on-error'))
end

def receiver
  PaycodeReceiver::Receiver.new(
    keys: method(:keys),
    store: PaycodeReceiver::FileStore.new(File.join(FOLDER, 'store')),
    handler: method(:handle),
    answer_when: ENV.fetch('KIT_WHEN', 'BEFORE').downcase.to_sym,
    answer_within: ENV.fetch('KIT_ANSWER_WITHIN_MS', '40000').to_f / 1000,
    **(ENV['KIT_ON_ERROR'] == 'DEFAULT' ? {} : { on_error: method(:on_error) })
  )
end

# A middleware that reads the body.
ReadFirst = Struct.new(:app) do
  def call(env)
    env['rack.input'].read
    app.call(env)
  end
end

# Through Rack's own handler for WEBrick, with Rack's checker of the protocol around the receiver.
def serve(adapter)
  require 'rack'
  require 'rack/handler/webrick'
  quiet = WEBrick::Log.new(File::NULL)
  application = Rack::Builder.app do
    use Rack::Lint unless adapter == 'rack, parser first'
    use ReadFirst if adapter == 'rack, parser first'
    map('/paycode') { run receiver } # in config.ru
  end
  Rack::Handler::WEBrick.run(application, Host: '127.0.0.1', Port: 0, Logger: quiet, AccessLog: []) do |server|
    puts "listening #{server.listeners.first.addr[1]}"
  end
end

def login(_word = nil)
  url, identity, password, ca_file = %w[URL IDENTITY PASSWORD CA_FILE].map { |name| ENV.fetch("PAYCODE_#{name}") }
  private_key, service_key = %w[PRIVATE SERVICE].map { |name| File.read(ENV.fetch("PAYCODE_#{name}_KEY_FILE")) }
  client = PaycodeReceiver::Client.new( # docs/how-to/log-in.md says where the keys come from
    url: url, identity: identity, password: password, private_key: private_key, service_key: service_key, ca_file: ca_file
  )
  session = client.log_in
  puts "logged in #{session['sessionId']}"
  puts "printed #{[client]} #{client.pretty_inspect}"
  order = { merchantReference: 'order-17', amount: 25.5, currencyCode: 'ZAR' }
  status, text = client.send_request('POST', '/pluto/code/create', order)
  puts status == 200 ? "created #{JSON.parse(text)['code']}" : "refused with #{status}"
  renewed = client.renew
  puts "renewed #{renewed['sessionId']} #{renewed['headerValue'] != session['headerValue']}"
  notification = client.notification(ENV.fetch('KIT_TRANSACTION').to_i)
  puts "read #{notification.transaction_id} #{notification.status} #{decimal(notification.amount)}"
  receiver.resume(client.method(:notification)) # a server calls it every minute
  client.log_out
  puts 'logged out'
end

send(ARGV[0], ARGV[1])
