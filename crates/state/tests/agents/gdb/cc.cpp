#include <iostream>
#include <string>
#include <vector>
#include <map>
#include <memory>
#include <stdexcept>
namespace zoo { int visitors = 3; }
namespace { double secret = 2.5; }
enum class Mood { happy, sad };
enum Plain { p_one, p_two };
struct Base { int id = 1; int shared = 10; virtual ~Base() {} virtual int speak() { return id; } };
struct Named { std::string name; Named *friend_ = nullptr; static int count; };
int Named::count = 9;
struct Dog : Base, Named {
    int shared = 20;
    Mood mood = Mood::sad;
    Plain plain = p_two;
    bool good = true;
    char letter = 'x';
    int speak() override {
        int local = id + shared;
        return local + Base::shared;
    }
};
struct V { int v = 5; };
struct L : virtual V { int l = 6; };
struct R : virtual V { int r = 7; };
struct D : L, R { int d = 8; };
template <class T> struct Box { T value; T *link; };
static int total(const std::vector<int> &numbers, Dog &dog, Box<int> box, D &diamond)
{
    int sum = 0;
    for (int n : numbers)
        sum += n;
    std::string copy = dog.name + " and a long long text that is not short";
    if (sum == 0)
        throw std::runtime_error("empty");
    return sum + dog.speak() + box.value + diamond.d + copy.size();
}
int main(int argc, char **argv)
{
    std::vector<int> numbers{3, 1, 4};
    Dog dog;
    dog.name = "rex";
    dog.friend_ = &dog;
    Box<int> box{7, &numbers[1]};
    D diamond;
    std::map<std::string, int> map{{"a", 1}};
    auto owner = std::make_unique<Dog>();
    Base *base = owner.get();
    auto lambda = [&](int k) {
        return k + zoo::visitors;
    };
    try {
        numbers.push_back(lambda(1));
        std::cout << total(numbers, dog, box, diamond) << "\n";
        total({}, dog, box, diamond);
    } catch (std::exception &e) {
        std::cout << "caught " << e.what() << "\n";
    }
    return secret > 2 && base->id == 1 ? 0 : 1;
}
