#include "dendrogram/newick.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace coterie {
namespace {

constexpr std::string_view SPECIAL = "()[]':;,";
constexpr double NONE = std::numeric_limits<double>::quiet_NaN();

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  NewickTree read() {
    while (true) {
      open_brackets();
      read_leaf();
      while (true) {
        if (open_.empty()) return finish();
        skip_blanks();
        if (accept(',')) break;
        if (!accept(')')) fail("',' or ')'");
        close_bracket();
      }
    }
  }

 private:
  struct Open {
    std::size_t position;
    std::vector<std::int64_t> children;
  };

  [[noreturn]] void fail(const char* expected) const {
    std::string found = "the end of the text";
    if (at_ < text_.size()) found = (text_[at_] & 0x80) != 0 ? "a letter" : std::string("'") + text_[at_] + "'";
    throw NewickProblem{std::string("expected ") + expected + ", found " + found, at_};
  }

  bool accept(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      if (is_blank(text_[at_])) {
        ++at_;
      } else if (text_[at_] == '[') {
        const std::size_t end = text_.find(']', at_);
        if (end == std::string_view::npos) throw NewickProblem{"a comment is not closed by ']'", at_};
        at_ = end + 1;
      } else {
        return;
      }
    }
  }

  void open_brackets() {
    skip_blanks();
    while (accept('(')) {
      open_.push_back({at_ - 1, {}});
      skip_blanks();
    }
  }

  std::string read_name() {
    skip_blanks();
    if (accept('\'')) return read_quoted();
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_blank(text_[at_]) && SPECIAL.find(text_[at_]) == std::string_view::npos) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string read_quoted() {
    const std::size_t begin = at_ - 1;
    std::string name;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c != '\'') {
        name += c;
      } else if (!accept('\'')) {
        return name;
      } else {
        name += '\'';
      }
    }
    throw NewickProblem{"a quoted name is not closed by \"'\"", begin};
  }

  double read_length() {
    skip_blanks();
    if (!accept(':')) {
      const bool is_root = open_.empty();
      if (!is_root && tree_.first_without_length == std::string::npos) tree_.first_without_length = at_;
      return NONE;
    }
    skip_blanks();
    double length = 0;
    const char* begin = text_.data() + at_;
    const char* end = text_.data() + text_.size();
    if (begin != end && *begin == '+') ++begin;
    const auto [stop, error] = std::from_chars(begin, end, length);
    if (error != std::errc() || !std::isfinite(length)) fail("a finite branch length");
    at_ = static_cast<std::size_t>(stop - text_.data());
    tree_.has_lengths = tree_.has_lengths || !open_.empty();
    return length;
  }

  void attach(std::int64_t node) {
    if (!open_.empty()) open_.back().children.push_back(node);
  }

  void read_leaf() {
    skip_blanks();
    const std::size_t begin = at_;
    std::string name = read_name();
    if (name.empty() && at_ == begin) fail("'(' or the name of a leaf");
    tree_.names.push_back(std::move(name));
    tree_.leaf_lengths.push_back(read_length());
    attach(static_cast<std::int64_t>(tree_.names.size()) - 1);
  }

  void close_bracket() {
    Open node = std::move(open_.back());
    open_.pop_back();
    if (node.children.size() < 2) throw NewickProblem{"a node has one child only", node.position};
    tree_.children.insert(tree_.children.end(), node.children.begin(), node.children.end());
    tree_.starts.push_back(static_cast<std::int64_t>(tree_.children.size()));
    tree_.inner_names.push_back(read_name());
    tree_.inner_lengths.push_back(read_length());
    attach(-static_cast<std::int64_t>(tree_.inner_lengths.size()));
  }

  NewickTree finish() {
    skip_blanks();
    if (!accept(';')) fail("';'");
    skip_blanks();
    if (at_ != text_.size()) fail("nothing after ';'");
    return std::move(tree_);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Open> open_;
  NewickTree tree_;
};

// The length that a reader must add to the child's height to get the parent's, to the last bit where there is one.
double length_between(double parent, double child) {
  const double length = parent - child;
  for (const double toward : {-INFINITY, INFINITY}) {
    const double near = std::nextafter(length, toward);
    if (child + length != parent && child + near == parent) return near;
  }
  return length;
}

void append(std::string& text, double number) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  text.append(digits, end);
}

}  // namespace

NewickTree read_newick(std::string_view text) { return Reader(text).read(); }

void branch_lengths(const TreeView& tree, const double* heights, double* lengths) {
  lengths[tree.root()] = NONE;
  for (std::int64_t node = tree.n_leaves; node < tree.n_nodes(); ++node)
    for (const std::int64_t child : tree.children_of(node)) {
      const double height = child < tree.n_leaves ? 0.0 : heights[child - tree.n_leaves];
      lengths[child] = length_between(heights[node - tree.n_leaves], height);
    }
}

std::string write_newick(const TreeView& tree, const double* lengths, const std::vector<std::string_view>& names) {
  struct Step {
    std::int64_t node, next;  // the child to write next
  };
  std::string text;
  std::vector<Step> path{{tree.root(), 0}};
  while (!path.empty()) {
    const auto [node, next] = path.back();
    const std::int64_t n_children = node < tree.n_leaves ? 0 : tree.children_of(node).size();
    if (next < n_children) {
      text += next == 0 ? '(' : ',';
      ++path.back().next;
      path.push_back({tree.children_of(node).first[next], 0});
      continue;
    }
    if (n_children > 0) text += ')';
    if (static_cast<std::size_t>(node) < names.size())
      text += names[static_cast<std::size_t>(node)];
    else if (n_children == 0)
      text += std::to_string(node);
    if (!std::isnan(lengths[node])) {
      text += ':';
      append(text, lengths[node]);
    }
    path.pop_back();
  }
  return text + ";";
}

}  // namespace coterie
