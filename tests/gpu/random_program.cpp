#include "tests/gpu/random_program.h"

#include <algorithm>

namespace trellis::test {
namespace {

uint32_t Below(std::mt19937& random, uint32_t end) { return static_cast<uint32_t>(random() % end); }

uint32_t Hash(uint32_t a, uint32_t b) {
  uint32_t h = (a ^ (b * 0x9e3779b1u)) * 0x85ebca6bu;
  h ^= h >> 15;
  h *= 0xc2b2ae35u;
  return h ^ (h >> 13);
}

constexpr uint32_t kGridSalt = 77;
constexpr uint32_t kPaddingSalt = 500;
constexpr uint32_t kCountSalt = 1;
constexpr uint32_t kIndexSalt = 2;
constexpr uint32_t kLateSalt = 3;
constexpr uint32_t kLaneSalt = 64;
constexpr uint32_t kRecordSalt = 4096;

// What a node makes of its record: the seed and every word of padding.
uint32_t Digest(const RandomProgram::Node& node, uint32_t seed) {
  uint32_t digest = seed;
  for (uint32_t i = 0; i < node.padding; ++i) digest = digest * 31 + Hash(seed, kPaddingSalt + i);
  return digest;
}

// Runs the program record by record.
class Reference {
 public:
  Reference(const RandomProgram& program, uint64_t most_records)
      : program_(program), most_(most_records), words_(RandomProgram::kWords) {}

  std::optional<std::vector<uint32_t>> Run() {
    for (const RandomProgram::Root& root : program_.roots())
      for (uint32_t seed : root.seeds) Record(root.node, root.index, program_.nodes()[root.node].recursion, seed);
    if (count_ > most_) return std::nullopt;
    return words_;
  }

 private:
  void Record(uint32_t number, uint32_t index, uint32_t remaining, uint32_t seed) {
    const RandomProgram::Node& node = program_.nodes()[number];
    if (++count_ > most_) return;
    if (node.launch == Launch::kCoalescing)
      return Work(node, number, index, remaining, Hash(Digest(node, seed), 0), true);
    uint32_t groups = 1;
    if (node.launch == Launch::kStaticGrid)
      groups = node.grid[0] * node.grid[1] * node.grid[2];
    else
      for (uint32_t i = 0; i < 2; ++i) groups *= Hash(seed, kGridSalt + i) % (node.grid[i] + 1);
    for (uint32_t group = 0; group < groups; ++group)
      Work(node, number, index, remaining, Hash(Digest(node, seed), group), false);
  }

  // One workgroup, or one record of a coalescing node.
  void Work(const RandomProgram::Node& node, uint32_t number, uint32_t index, uint32_t remaining, uint32_t hash,
            bool one_lane) {
    words_[2 * (node.place + index)] += 1;
    words_[2 * (node.place + index) + 1] += hash;
    for (const RandomProgram::Output& output : node.outputs) {
      if (output.late && !one_lane && Hash(hash, output.salt + kLateSalt) % 2 == 0) continue;
      const uint32_t lanes = output.workgroup || one_lane ? 1 : node.lanes;
      for (uint32_t lane = 0; lane < lanes; ++lane)
        Send(output, number, index, remaining, Hash(hash, output.salt + lane * kLaneSalt));
    }
  }

  void Send(const RandomProgram::Output& output, uint32_t from, uint32_t from_index, uint32_t remaining,
            uint32_t hash) {
    const RandomProgram::Node& target = program_.nodes()[output.target];
    uint32_t index = Hash(hash, kIndexSalt) % target.index_span;
    uint32_t left = target.recursion;
    if (output.target == from) {
      if (remaining == 0) return;
      index = from_index;
      left = remaining - 1;
    }
    if (std::find(target.indices.begin(), target.indices.end(), index) == target.indices.end()) return;
    const uint32_t count = Hash(hash, kCountSalt) % (output.most + 1);
    for (uint32_t i = 0; i < count; ++i) Record(output.target, index, left, Hash(hash, kRecordSalt + i));
  }

  const RandomProgram& program_;
  const uint64_t most_;
  uint64_t count_ = 0;
  std::vector<uint32_t> words_;
};

}  // namespace

RandomProgram::RandomProgram(uint32_t subject) {
  Random random(subject);
  const uint32_t count = 3 + Below(random, 6);
  for (uint32_t i = 0; i < count; ++i) MakeNode(random, i, count);
  MakeRoots(random);
}

void RandomProgram::MakeNode(Random& random, uint32_t number, uint32_t count) {
  Node node;
  node.name = "Node" + std::to_string(number);
  node.launch = static_cast<Launch>(Below(random, 3));
  for (uint32_t& side : node.grid) side = 1 + Below(random, 3);
  node.lanes = 1u << Below(random, 5);
  node.padding = Below(random, 2) == 0 ? 0 : Below(random, 12);
  if (Below(random, 4) == 0) node.recursion = 1 + Below(random, 3);
  node.indices.push_back(0);
  if (Below(random, 3) == 0) {
    const uint32_t step = 1 + Below(random, 3);
    const uint32_t others = 1 + Below(random, 3);
    for (uint32_t i = 1; i <= others; ++i) node.indices.push_back(i * step);
  }
  node.index_span = node.indices.back() + 1;
  node.place = number * 16;
  for (uint32_t outputs = number + 1 == count ? 0 : 1 + Below(random, 3); outputs-- > 0;) {
    Output output;
    output.target = number + 1 + Below(random, count - number - 1);
    output.most = 1 + Below(random, 3);
    output.workgroup = node.launch != Launch::kCoalescing && Below(random, 2) == 0;
    output.late = Below(random, 3) == 0;
    output.salt = 8 + 8 * static_cast<uint32_t>(node.outputs.size());
    node.outputs.push_back(output);
  }
  if (node.recursion != 0) {
    Output self = {number, 1 + Below(random, 2), node.launch != Launch::kCoalescing && Below(random, 2) == 0,
                   Below(random, 3) == 0, 8 + 8 * 7};
    node.outputs.push_back(self);
  }
  nodes_.push_back(std::move(node));
}

void RandomProgram::MakeRoots(Random& random) {
  for (uint32_t roots = 1 + Below(random, 3); roots-- > 0;) {
    Root root;
    root.node = Below(random, std::min<uint32_t>(3, static_cast<uint32_t>(nodes_.size())));
    const Node& node = nodes_[root.node];
    root.index = node.indices[Below(random, static_cast<uint32_t>(node.indices.size()))];
    for (uint32_t records = 1 + Below(random, 40); records-- > 0;)
      root.seeds.push_back(static_cast<uint32_t>(random()));
    roots_.push_back(std::move(root));
  }
}

std::vector<uint32_t> RandomProgram::RecordWords(uint32_t number, uint32_t seed) const {
  const Node& node = nodes_[number];
  std::vector<uint32_t> words = {seed};
  for (uint32_t i = 0; i < 2; ++i) words.push_back(Hash(seed, kGridSalt + i) % (node.grid[i] + 1));
  for (uint32_t i = 0; i < node.padding; ++i) words.push_back(Hash(seed, kPaddingSalt + i));
  return words;
}

std::optional<std::vector<uint32_t>> RandomProgram::Expected(uint64_t most_records) const {
  return Reference(*this, most_records).Run();
}

namespace {

// Writes the module.
class Writer {
 public:
  Writer(const RandomProgram& program, Shape shape) : program_(program), m_(shape), words_(m_.StorageBuffer(0)) {
    for (const RandomProgram::Node& node : program.nodes()) {
      std::vector<Member> members = {{m_.Uint(), 0}, {m_.Vector(m_.Uint(), 2), 4, node.launch == Launch::kDynamicGrid}};
      for (uint32_t i = 0; i < node.padding; ++i) members.push_back({m_.Uint(), 12 + 4 * i});
      records_.push_back(m_.Struct(members));
    }
  }

  std::string Run() {
    for (uint32_t i = 0; i < program_.nodes().size(); ++i) WriteNode(i);
    return m_.Text();
  }

 private:
  Id Hash(Value a, Value b) {
    const Id mixed = m_.Mul(m_.Xor(a, m_.Mul(b, Value(0x9e3779b1u))), Value(0x85ebca6bu));
    const Id folded = m_.Mul(m_.Xor(mixed, m_.Shift(mixed, 15)), Value(0xc2b2ae35u));
    return m_.Xor(folded, m_.Shift(folded, 13));
  }

  void WriteNode(uint32_t number) {
    const RandomProgram::Node& node = program_.nodes()[number];
    std::vector<Payload> payloads;
    const bool coalescing = node.launch == Launch::kCoalescing;
    for (const RandomProgram::Output& output : node.outputs) {
      const uint32_t most = output.most * (output.workgroup ? 1 : node.lanes);
      payloads.push_back(m_.Output(program_.nodes()[output.target].name, records_[output.target],
                                   {.max_payloads = Value(most), .sparse = true}));
    }
    NodeOptions options;
    options.name = node.name;
    options.launch = node.launch;
    options.local_size = {Value(node.lanes), Value(1), Value(1)};
    if (node.launch == Launch::kStaticGrid)
      options.grid = {Value(node.grid[0]), Value(node.grid[1]), Value(node.grid[2])};
    if (node.launch == Launch::kDynamicGrid) options.grid = {Value(node.grid[0]), Value(node.grid[1]), Value(1)};
    if (node.recursion != 0) options.recursion = Value(node.recursion);
    options.input = m_.Input(records_[number], Value(coalescing ? node.lanes : 1));
    m_.BeginNode(options);

    // A lane past the records of a coalescing workgroup does what lane 0 does, but counts for nothing.
    const Id lane = m_.LocalIndex();
    const Id active = coalescing ? m_.Less(lane, m_.Length(m_.NodeInput())) : m_.Equal(lane, 0);
    const Id element = coalescing ? m_.Select(active, lane, Value(0)) : m_.Constant(0);
    const Id hash = Hash(Digest(node, element), coalescing ? m_.Constant(0) : LinearGroup(node));
    const Id place = m_.Mul(m_.Add(m_.ShaderIndex(), Value(node.place)), Value(2));
    m_.If(active, [&] {
      m_.AddWord(words_, place, Value(1));
      m_.AddWord(words_, m_.Add(place, Value(1)), hash);
    });
    for (size_t i = 0; i < node.outputs.size(); ++i) WriteOutput(number, node.outputs[i], payloads[i], hash, active);
    m_.EndNode();
  }

  Id Digest(const RandomProgram::Node& node, const Id& element) {
    Id digest = m_.Get(m_.NodeInput(), element, Value(0));
    for (uint32_t i = 0; i < node.padding; ++i) {
      const Id word = m_.Get(m_.NodeInput(), element, Value(2 + i));
      digest = m_.Add(m_.Mul(digest, Value(31)), word);
    }
    return digest;
  }

  Id LinearGroup(const RandomProgram::Node& node) {
    const bool fixed = node.launch == Launch::kStaticGrid;
    const Id width = fixed ? m_.Constant(node.grid[0])
                           : m_.Load(m_.Uint(), m_.Field(m_.NodeInput(), m_.Uint(), Value(0), {Value(1), Value(0)}));
    const Id row = fixed ? m_.Add(m_.Mul(m_.GroupId(2), Value(node.grid[1])), m_.GroupId(1)) : m_.GroupId(1);
    return m_.Add(m_.Mul(row, width), m_.GroupId(0));
  }

  void WriteOutput(uint32_t from, const RandomProgram::Output& output, const Payload& payload, const Id& hash,
                   const Id& active) {
    const RandomProgram::Node& node = program_.nodes()[from];
    const RandomProgram::Node& target = program_.nodes()[output.target];
    const bool coalescing = node.launch == Launch::kCoalescing;
    const Id lane = m_.LocalIndex();
    const Id salt = output.workgroup || coalescing ? m_.Constant(output.salt)
                                                   : m_.Add(m_.Mul(lane, Value(kLaneSalt)), Value(output.salt));
    const Id own = Hash(hash, salt);
    const Id index =
        output.target == from ? m_.ShaderIndex() : m_.Mod(Hash(own, Value(kIndexSalt)), Value(target.index_span));
    const Id wanted = m_.Mod(Hash(own, Value(kCountSalt)), Value(output.most + 1));
    const Id valid = m_.Select(m_.IsValid(payload, index), wanted, Value(0));
    const Id count = coalescing ? m_.Select(active, valid, Value(0)) : valid;

    const Records records =
        m_.Allocate(payload, output.workgroup ? Scope::kWorkgroup : Scope::kInvocation, count, index);
    m_.For(count, [&](const Id& i) {
      if (output.workgroup)
        m_.If(m_.Equal(m_.Mod(i, Value(node.lanes)), lane), [&] { WriteRecord(target, records, i, own); });
      else
        WriteRecord(target, records, i, own);
    });
    if (!output.late) return m_.Enqueue(records);
    // True for every coalescing workgroup, but no compiler knows.
    const Id enqueued = coalescing
                            ? m_.Less(Value(0), m_.Length(m_.NodeInput()))
                            : m_.NotEqual(m_.Mod(Hash(hash, Value(output.salt + kLateSalt)), Value(2)), Value(0));
    m_.If(enqueued, [&] { m_.Enqueue(records); });
  }

  void WriteRecord(const RandomProgram::Node& target, const Records& records, const Id& element, const Id& own) {
    const Id seed = Hash(own, m_.Add(element, Value(kRecordSalt)));
    m_.Set(records, element, Value(0), seed);
    for (uint32_t i = 0; i < 2; ++i) {
      const Id side = m_.Mod(Hash(seed, Value(kGridSalt + i)), Value(target.grid[i] + 1));
      m_.Store(m_.Field(records, m_.Uint(), element, {Value(1), Value(i)}), side);
    }
    for (uint32_t i = 0; i < target.padding; ++i)
      m_.Set(records, element, Value(2 + i), Hash(seed, Value(kPaddingSalt + i)));
  }

  const RandomProgram& program_;
  NodeAsm m_;
  const Id words_;
  std::vector<Id> records_;
};

}  // namespace

std::string RandomProgram::Text(Shape shape) const { return Writer(*this, shape).Run(); }

}  // namespace trellis::test
